// What removing or scaling one column does to the kernel of a pair of rows, as a sum of products of
// functions of each row alone. With z the entry of the column (times sqrt(gamma) for removal),
//
//   change(k, j) = A0_kj (own(z_k) + own(z_j)) + sum_p factor_p A_kj f_p(z_k) f_p(z_j) + remainder
//
// where A = multiple * M o profile(s) may be another matrix for each p. Contracted over all pairs
// the products are matrix products, for all columns at once.
//
// Sums over pairs of |A_kj f(z_k) f(z_j)| are at most sum_k R_k f(z_k)^2, R_k = sum_j |A_kj|. So
// every bound is a combination of the moments sum_k R_k z_k^(2i), i = 1, 2, ... with positive
// coefficients; a polynomial is held by its coefficients of z^2, z^4, ...
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "svsieve/pairing.hpp"
#include "svsieve/profile.hpp"

namespace svsieve {

struct PairSeries {
    struct PairMatrix {
        Profile profile;
        double multiple;
    };
    struct Term {
        std::size_t matrix;
        double factor;
        int power;                         // f(z) = z^power * sum_i coefficients[i] z^(2i)
        std::vector<double> coefficients;  // none negative
        std::vector<double> magnitude;     // |factor| f(z)^2, or more
    };

    std::vector<PairMatrix> matrices;
    std::vector<Term> terms;
    std::vector<double> own;
    // The sum of own parts and all terms once more, as sum_ij coupling(i, j) z_k^i z_j^j over i, j in
    // [0, order]; what has an i or j above `power` is at most cut[power] times a power of |z_k| and
    // |z_j| of which at least power + 2 factors are taken. Empty where there is no use for it.
    std::size_t order = 0;
    std::vector<double> coupling, cut;
    // What is left after the first p terms is at most remainder[p].
    std::vector<std::vector<double>> remainder;
    double column_factor = 1.0;  // of z
    double reach = 0.0;          // holds for |z| up to here
    bool differences = true;     // of z alone matter: a row with itself has no change
    // Polynomial kernels: powers of B are subtracted from each other where the change is computed
    // directly, in double precision. That loses so much of sum |A|, A the last of the matrices.
    double direct_loss = 0.0;

    // If there are several, they are M B^degree, the i-th moment is over the i-th of them, and the
    // last is the kernel itself.
    bool one_matrix() const { return matrices.size() == 1; }
    std::size_t moments() const { return remainder[0].size(); }
    // Whether nothing is left after the last term.
    bool complete() const {
        const std::vector<double>& left = remainder.back();
        return std::all_of(left.begin(), left.end(), [](double part) { return part == 0.0; });
    }
};

// Nothing where there is no useful series.
std::optional<PairSeries> removal_series(Pairing pairing, const Profile& profile);
std::optional<PairSeries> slope_series(Pairing pairing, const Profile& profile);

}  // namespace svsieve
