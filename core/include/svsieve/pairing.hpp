// The additive part of a kernel: s(x, z) = sum_j t_j(x_j, z_j).
//
//   Product              t = x z                  polynomial kernels
//   SquaredDifference    t = (x - z)^2            Gaussian
//   AbsoluteDifference   t = |x - z|              Laplace
//
// Column weights live in the data: the caller multiplies column j by sqrt(w_j) (by w_j for absolute
// differences). A pairing matrix S over the rows of a table is carried along an elimination:
// dropping columns subtracts their part, O(n^2) for each, where building anew costs O(n^2 d).
#pragma once

#include <cstddef>

#include "svsieve/profile.hpp"
#include "svsieve/views.hpp"

namespace svsieve {

enum class Pairing { Product, SquaredDifference, AbsoluteDifference };

// S of all row pairs, both triangles; with a profile, phi(S) instead. Here and below S is lost where
// the squares of a row overflow and std::invalid_argument is thrown.
void build_pairing(Pairing pairing, Matrix x, MutableMatrix s, const Profile* profile = nullptr);

// s(z_i, x_k) for the rows of two tables; with a profile, phi(s).
void cross_pairing(Pairing pairing, Matrix z, Matrix x, MutableMatrix s,
                   const Profile* profile = nullptr);

// S -= the part of the removed columns (an n x t table). Distances are clamped at zero. Only the
// lower triangle of S is kept up to date; contractions read no other. With a profile, `gram` receives
// phi(S), both triangles, in the same pass.
void drop_columns(Pairing pairing, Matrix removed, MutableMatrix s,
                  const Profile* profile = nullptr, MutableMatrix gram = {});

// Copies the lower triangle into the upper one.
void fill_upper(MutableMatrix s);

// out = phi(s), elementwise; `out` may be `s` itself.
void apply_profile(const Profile& profile, Matrix s, MutableMatrix out);

}  // namespace svsieve
