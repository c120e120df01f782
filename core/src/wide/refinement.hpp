// The optimum of a linear machine in twice the precision, from a point that is close to it.
//
// Where columns differ by many orders of magnitude, or coefficients are far larger than the weights
// that they sum up to, double precision leaves the weights, and with them the order of columns, open.
// An active-set method in twice the precision then says what they are:
//
//   on the free rows F, with p_s = -sum of the others, solve the system of K_ik - K_is - K_sk + K_ss
//   by L D L' with pivoting, walk to its solution or to the first bound on the way;
//   where F is more than the columns can tell apart, walk along a direction without curvature;
//   let the row enter that violates its condition most.
//
// The weights are unique even where the coefficients are not.
#pragma once

#include <cstddef>
#include <vector>

#include "svsieve/dual_problem.hpp"
#include "wide/refined_products.hpp"

namespace svsieve {

struct Refined {
    std::vector<double> coefficients;  // rounded
    std::vector<double> gradient;      // as if every column were centred over all rows
    std::vector<double> weights;       // of the columns left, rounded
    double multiplier = 0.0;
    double gap = 0.0;
    // Of every weight, besides Refinement::rounding |b| |x| and what rounding to double takes.
    double error = 0.0;
};

class Refinement {
  public:
    static constexpr double rounding = 0x1p-96;  // of a sum, in units of what it sums up

    // The arrays of `problem`, whose total must be 0, must outlive this.
    Refinement(const DualProblem& problem, RefinedProducts& products);

    // Multiplications that refining these coefficients takes at least.
    double price(Vector coefficients) const;
    // False if no optimum was found within so many multiplications; then `out` is not touched.
    bool run(Vector coefficients, double most, Refined& out);
    double spent() const { return spent_; }

  private:
    struct Factor {
        std::size_t base = 0;            // the row s
        std::vector<std::size_t> order;  // the other free rows, pivots first
        std::size_t rank = 0;
        std::vector<TwofoldVector> rows;  // L below the diagonal, D on it
        double least = 0.0;               // pivot
    };

    bool plays(std::size_t row) const { return problem_.lower[row] < problem_.upper[row]; }
    bool inside(std::size_t row) const;
    void begin(Vector coefficients);
    bool balance();
    void differentiate();
    void factorise();
    void eliminate(std::size_t k);
    bool direction(std::vector<DoubleDouble>& p) const;
    bool walk(const std::vector<DoubleDouble>& p, bool bounded, std::size_t& blocked);
    bool level();
    bool admit();
    void report(Refined& out) const;

    const DualProblem problem_;
    RefinedProducts& products_;
    std::vector<DoubleDouble> b_, g_;
    std::vector<std::size_t> free_;
    TwofoldVector w_;
    Factor factor_;
    double size_ = 0.0;  // of what a gradient sums up: its rounding is a share of this
    double spent_ = 0.0, most_ = 0.0;
};

}  // namespace svsieve
