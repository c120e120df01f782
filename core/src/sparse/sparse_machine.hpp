// One linear machine on the rows of a sparse table, solved again as columns leave.
//
//     min  1/2 |w|^2 + 1/2 scale s^2 + base s + 1/2 sum_i D_i a_i^2 - sum_i a_i
//     with w = sum_i a_i y_i x_i,  s = sum_i a_i y_i,  0 <= a_i <= U_i.
//
// The offset is base + scale s. A penalised bias of value c has scale = c^2 and base = 0. An offset
// that is not penalised wants s = 0: base is its multiplier and scale > 0 an augmentation, which
// changes the way and not the solution. With the gradient
//
//     G_i = y_i (w'x_i + offset) - 1 + D_i a_i
//
// a point is optimal where G_i >= 0 at a_i = 0, G_i <= 0 at a_i = U_i and G_i = 0 between.
//
// Coordinate descent (Hsieh et al., ICML 2008) in random order, from the last solution, soon finds
// which rows are at which bound (machine_descent.cpp). What it is slow at are the last digits: there
// the equations of the free rows, F,
//
//     (Y X_F X_F' Y + scale y y' + D) p = -G_F          (and y'p = -s where s is to be zero)
//
// are solved by preconditioned conjugate gradients, which cost no more a pass, and the step is taken
// as far as the bounds allow (machine_rows.cpp).
//
// Where D > 0, the squared slack, and columns are fewer than rows, Newton's method in the weights
// needs no descent before it: a is D^-1 times what rows fall short of the margin, the objective a
// smooth function of weights and offset, and its Newton equations are those above over the columns
// (machine_columns.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "sparse/sparse_rows.hpp"
#include "svsieve/sparse_path.hpp"

namespace svsieve::sparse {

// What a machine needs while it is solved, and may be any other's before and after: the rows that may
// change, those of the equations, F, and vectors over F, over the active rows and over the columns.
struct Workspace {
    std::vector<std::int32_t> active, free;
    std::vector<double> g, inverse, x, r, p, t, cut, changes_of;
    std::vector<double> step, along, ready, image, border, step_cut;
};

class SparseMachine {
  public:
    SparseMachine(const SparseRows& table, Workspace& workspace, SparseProblem problem,
                  const SparseOptions& options);

    // Goes to the optimum, or as near to it as rounding or the limit on passes allows.
    void solve();

    // The table has dropped these columns, marked by place.
    void drop(const std::vector<char>& gone, const Removed& removed);

    // Whether the gap is larger than asked for, and not for rounding.
    bool is_stuck() const { return gap_ > options_.tolerance && gap_ > beyond_rounding * floor(); }
    // Goes on from signed coefficients found in another way, if they are better.
    void give(const double* coefficients, double offset);

    const std::vector<double>& weights() const { return weights_; }
    double gap() const { return gap_; }
    double offset() const { return offset_; }
    double coefficient_norm() const;
    double accuracy() const;                   // share of rows on their side
    std::vector<double> coefficients() const;  // signed
    double passes() const { return passes_; }  // over rows of the average length
    std::size_t size() const { return y_.size(); }

    std::size_t state_size() const { return 7 + 2 * size(); }
    void save(std::vector<double>& to) const;
    const double* restore(const double* from);

  private:
    static constexpr double beyond_rounding = 100.0;

    struct Interval {
        double low, high;
    };
    // Of a step by the equations: solved inside the bounds, inside them, or cut by them.
    enum class Outcome { Solved, Inside, Cut };

    std::size_t row(std::size_t i) const { return static_cast<std::size_t>(rows_[i]); }
    double running_offset() const { return base_ + scale_ * sum_; }
    void choose_active(double reach);
    void check();
    void balance();
    Interval interval() const;
    double floor() const;

    void descend();
    double sweep(bool shrink);

    Outcome newton(double tolerance);
    bool conjugate_gradients(double tolerance);
    bool leaves(double length);
    bool take(int trials);
    void take_whole(const std::vector<double>& step);

    bool smooth_step(double tolerance);
    bool solve_by_columns(double tolerance, double rest, double& shift);
    double line_search(double offset, double shift, double ridge, double constant) const;
    void read_off();

    const SparseRows& table_;
    SparseOptions options_;
    std::vector<std::int32_t> rows_;
    std::vector<double> y_, upper_, ridge_;

    std::vector<double> weights_;
    std::vector<double> a_;
    std::vector<double> values_;  // w'x_i as of the last check, less what has been dropped since
    double base_ = 0.0, scale_ = 0.0, sum_ = 0.0;
    double offset_ = 0.0;
    double gap_ = 0.0;
    double moved_;  // how far the values of rows moved in the last step
    double solves_ = 0.0;
    double passes_ = 0.0;

    std::size_t changes_ = 0;  // rows that went to a bound or left it, in the last sweep
    double highest_, lowest_;  // projected gradients in the last sweep, for shrinking
    std::uint64_t random_ = 0;
    bool smooth_ = true;  // every row has a ridge

    // See Workspace.
    std::vector<std::int32_t>&active_, &free_;
    std::vector<double>&g_, &inverse_, &x_, &r_, &p_, &t_, &cut_, &changes_of_;
    std::vector<double>&step_, &along_, &ready_, &image_, &border_, &step_cut_;
};

}  // namespace svsieve::sparse
