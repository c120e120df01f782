// One machine on a Gram matrix that loses columns of the data one after another, kept at its optimum.
//
// The optimum on the free rows F solves the bordered system of active_set.hpp. Taking a column x out
// of a linear kernel subtracts x x' from the Gram matrix, so the inverse P of that system changes by
// a rank-one term, and with z = P (0; x_F), s = 1 - x_F'z_F, w = x'b the new optimum on F is
//
//   P + z z' / s ,      (mu, b_F) + (w / s) z :
//
// O(|F|^2 + n |F|) where solving anew costs O(|F|^3). Then rows that violate their sign conditions
// enter F and rows that meet a bound leave it, as in the general solver. s = 0 means that F has more
// rows than the columns left can tell apart: z is then a direction in which the objective is linear,
// followed to the first bound.
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/bordered_inverse.hpp"
#include "svsieve/dual_problem.hpp"
#include "svsieve/views.hpp"
#include "wide/aligned.hpp"
#include "wide/refinement.hpp"

namespace svsieve {

// n x n, rows padded to a multiple of row_padding with zeros.
struct PaddedGram {
    std::size_t size = 0;
    std::size_t stride = 0;
    AlignedVector<double> values;

    explicit PaddedGram(std::size_t n);
    double* row(std::size_t i) { return values.data() + i * stride; }
    const double* row(std::size_t i) const { return values.data() + i * stride; }
};

// Of every weight, whatever its column x, and of a weight in units of |x|. Both bounds hold.
struct Doubt {
    double error;
    double relative;
};

class TrackedMachine {
  public:
    // The arrays of `problem` must outlive the machine. Its total must be 0.
    TrackedMachine(const DualProblem& problem, const PaddedGram& gram, double tolerance);

    // From any feasible start, with whatever the Gram matrix now is.
    void start(Vector coefficients);

    // Before the Gram matrix loses x x'. `x` is padded; `weight` is x'b.
    void forget(const double* x, double weight);
    // After it has: takes the step that `forget` prepared and restores optimality.
    void settle();
    // The same after several columns, or after the Gram matrix was built anew: nothing prepared.
    // `fresh`: the Gram matrix is not what the inverse was kept up to date with.
    void settle_anew(bool fresh);

    // What rounding and the past have made of the machine, to or from a state_archive.hpp.
    template <class Archive>
    void exchange(Archive& archive) {
        for (auto* values : {&b_, &g_, &up_, &low_}) archive.fixed(*values);
        archive.indices(free_, n_);
        inverse_.exchange(archive);
        archive.require(free_.empty() || inverse_.size() == free_.size());
        for (double* value : {&mu_, &gap_, &scale_, &mass_}) archive.number(*value);
        archive.number(since_gradient_);
        archive.number(stale_);
        archive.number(adrift_);
    }

    const double* coefficients() const { return b_.data(); }  // padded
    // Where no row is strictly between its bounds: the middle of what the conditions allow.
    double multiplier() const;
    double gap() const { return gap_; }
    double accuracy() const;
    // How far weights x'b may be from those of the optimum.
    Doubt doubt(double rounded);
    // Takes a point that is known to be the optimum.
    void adopt(const Refined& point);
    // Is it at a point with which it cannot go on by itself? Then it may be left there while columns
    // go, to be refined from it, or must settle anew.
    bool is_adrift() const { return adrift_; }

  private:
    void recompute_gradient();
    void set_status(std::size_t row);
    void factorise();
    bool has_twin(std::size_t row) const;
    double schur_complement(std::size_t row);
    bool enter(std::size_t row);
    void leave(std::size_t position);
    double step_to_bound(const double* direction, double limit, std::size_t& blocked) const;
    void apply(const double* direction, double step, std::size_t blocked);
    bool newton();
    bool improve();
    void solve_generally();
    bool is_finite() const;
    double measure();
    double floor() const;
    double diagonal(std::size_t row) const { return gram_.row(row)[row] + problem_.ridge[row]; }

    const DualProblem problem_;
    const PaddedGram& gram_;
    double tolerance_;
    std::size_t n_, width_;
    AlignedVector<double> b_, g_, up_,
        low_;                    // coefficients, gradient, masks of vector_kernels().scan
    std::vector<double> label_;  // 0 for rows that take no part
    long judged_ = 0;            // rows that do
    double largest_ = 0.0;       // entry of the linear term
    std::vector<std::size_t> free_;
    BorderedInverse inverse_;
    double mu_ = 0.0;
    double gap_ = 0.0;
    double scale_ = 1.0;
    double mass_ = 0.0;       // sum |b|
    int since_gradient_ = 0;  // steps since the gradient was computed from the coefficients
    bool prepared_ = false;
    bool stale_ = false;        // P is not the inverse for the columns left
    bool adrift_ = false;       // the point was adopted, and double precision has no F for it
    std::vector<double> step_;  // the step that forget() prepared, (-dmu; db_F)
    std::vector<double> u_, z_, residual_;
};

}  // namespace svsieve
