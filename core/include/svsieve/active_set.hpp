// From a moderate KKT gap to machine precision: an active-set method on the free rows.
//
// F holds the rows strictly between their bounds. With the other coefficients fixed, the optimum on
// F solves the bordered system
//
//   [ 0  1'   ] [ -dmu ]   [ total - sum(b) ]
//   [ 1  Q_FF ] [ db_F ] = [ mu - g_F       ] ,      Q = K + Diag(ridge).
//
// Its inverse P is kept and updated: a row enters by bordering, leaves by the reverse, each
// O(|F|^2). A step that would leave the box stops at the first bound, and that row leaves F. When F
// is optimal, the row off F that violates its sign condition most enters. A row whose Schur
// complement vanishes is dependent on F (duplicates; more free rows than the kernel has rank):
// moving along the null direction changes no other gradient, so the walk goes on to the first bound
// and one row leaves. The objective never rises.
//
// Steps on F keep the sum, so the system may use squared distances from one row o instead of K:
// K_ij - K_io - K_oj + K_oo changes nothing but the multiplier, which is read off the gradient
// anyway. Where all kernel values are large and nearly equal this saves the digits that tell them
// apart.
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/bordered_inverse.hpp"
#include "svsieve/dual_problem.hpp"
#include "svsieve/kernel_rows.hpp"
#include "svsieve/smo.hpp"

namespace svsieve {

class ActiveSet {
  public:
    enum class Outcome { Converged, Unbounded, Stalled };

    // `state` must hold a feasible point and its gradient.
    ActiveSet(const DualProblem& problem, RowSource& rows, DualState& state);

    // Runs until the KKT gap is at most `tolerance` or `max_moves` rows have entered or left.
    Outcome run(double tolerance, long max_moves);

  private:
    enum class Entry { Entered, Walked, Skipped };
    struct Border {
        std::vector<double> z;
        double schur;
        double ridge;  // what the ridge alone contributes to it
        double noise;  // what rounding may
        bool reliable;
    };

    void factorise();
    double entry(const double* kernel_row, std::size_t i, std::size_t k) const;
    Border border(std::size_t row);
    Entry enter(std::size_t row);
    void leave(std::size_t position);
    Entry walk_null_direction(std::size_t row, const std::vector<double>& z, double curvature);
    void newton_step(const std::vector<double>& residual, std::vector<double>& step);
    bool settle();
    void flush();
    double multiplier_guess() const;
    std::vector<std::size_t> violators(double tolerance, std::size_t most) const;
    double diagonal(std::size_t row) const {
        return (rows_.diagonal()[row] - shift_[row]) - shift_[row] + problem_.ridge[row];
    }
    void move(std::size_t row, double step);
    void fix_at_bound(std::size_t row, bool upper);

    const DualProblem& problem_;
    RowSource& rows_;
    DualState& state_;
    std::vector<std::size_t> free_;
    BorderedInverse inverse_;      // P, of the rows in free_
    std::vector<double> pending_;  // coefficient changes not yet in the gradient
    std::vector<std::size_t> pending_rows_;
    double multiplier_ = 0.0;
    std::vector<double> shift_;  // K_ko - K_oo / 2
    double scale_ = 1.0;         // largest squared distance from the row o, plus ridge
    double noise_ = 0.0;         // rounding of one such entry
    double floor_ = 0.0;
    long moves_ = 0;
    bool unbounded_ = false;
    bool rebuilding_ = false;
};

}  // namespace svsieve
