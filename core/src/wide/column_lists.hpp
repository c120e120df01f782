// Finds the columns of least |w| without weighing them all: nested lists of those that can matter.
//
// w_i = x_i'B has an entry for each machine, B being the coefficients of all of them. At a reference
// B_r let a_i <= |w_i|. For the present B take c = <B, B_r> / |B_r|^2 and D = |B - c B_r|; then
//
//   |w_i| >= |c| a_i - D |x_i| .
//
// A list holds the columns of its parent with a_i <= tau + rho |x_i|, whatever tau and rho are, so
// each column left out has
//
//   |w_i| > |c| tau + (|c| rho - D) |x_i| :
//
// one number, for the shortest or the longest column left out, tells whether the list still holds
// every column in question. If not, the parent is weighed anew and the list is made again. Lists are
// kept in single precision, pack_width columns side by side; what single precision leaves open is
// decided by inner products in double, always summed in the same order.
//
// tau and rho are set for a life of so many steps: the front of |w| moves past as many columns, and
// D grows like the square root of the steps. The life is tuned until using a list costs as much as
// making it. All of this changes the time only, never the choice.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "svsieve/views.hpp"
#include "wide/aligned.hpp"

namespace svsieve {

// The coefficients of all machines at one moment, padded.
using Weighing = std::vector<const double*>;

struct Choice {
    std::vector<std::size_t> columns;  // to be dropped, first gone first
    std::vector<double> scores;        // sum over machines of w^2
    double following = 0.0;            // score of the next, NaN where there is none
    bool tied = false;
    double resolution =
        0.0;  // scores that were taken as equal differ by no more; 0: there are none
};

// How well every |w| is known: to the lesser of `error` and `relative` |x|, plus `rounding` |B| |x|
// of a column x. Columns whose |w| are sure to agree to a share of 1e-10 count as equal.
struct Certainty {
    double error = 0.0;
    double relative = std::numeric_limits<double>::infinity();
    double rounding = 1e-14;
    // Columns that may or may not be equal: they are taken to be so where nothing better will be
    // known. Otherwise no choice is made.
    bool last_word = true;
};

// Are the weights of two columns the same whatever the coefficients, up to their sign?
using Twins = std::function<bool(std::size_t, std::size_t)>;

class ColumnLists {
  public:
    // Column i stands at columns + i * width, padded. Only `candidates` (ascending) may be chosen.
    ColumnLists(const double* columns, std::size_t width, std::vector<double> norms,
                std::vector<std::size_t> candidates, Twins twins = {});

    // The `count` least of the candidates left, which then are candidates no longer. Among columns
    // of equal |w| the lower index goes first. False, with nothing changed, where that is open.
    bool choose(const Weighing& now, std::size_t count, const Certainty& certainty, Choice& choice);
    // The same by scores that are known, one for every column.
    void choose_by(const std::vector<double>& scores, const Weighing& now, std::size_t count,
                   const Certainty& certainty, Choice& choice);

    // For any columns with these scores: the difference up to which each counts as equal to a lower
    // one. False where the order of some is open.
    bool compare(const Weighing& now, const std::vector<std::size_t>& ids,
                 const std::vector<double>& scores, const Certainty& certainty,
                 std::vector<double>& resolution);

    // Columns that are gone though no choice named them.
    void forget(const std::vector<std::size_t>& ids);
    std::size_t left() const { return left_; }
    std::vector<std::size_t> candidates() const;

    // sum over machines of w^2.
    void score(const Weighing& now, const std::vector<std::size_t>& ids,
               std::vector<double>& out) const;

  private:
    struct Reference {
        std::vector<double> coefficients;  // of all machines, one after the other
        double square = 0.0;
        double scale = 0.0;  // |c| for the present B
        double drift = 0.0;  // D, with what rounding adds
    };
    struct List {
        std::vector<std::size_t> ids;        // slot by slot; `none` where a pack is not full
        std::vector<float> norms;            // slot by slot
        std::vector<double> least, longest;  // pack by pack: of a_i and of the norms
        AlignedVector<float> values;         // pack by pack, row by row
        Reference reference;
        double tau = 0.0, rho = 0.0;
        double shortest_out = 0.0, longest_out = 0.0;
        bool everything = false;     // nothing was left out
        double life = 48.0;          // steps it is made for
        double restlessness = -1.0;  // drift / (|B| sqrt(steps)) as seen so far
        long age = 0;
        double used = 0.0, cost = 0.0;  // spent in it, and to make it

        double outside() const;
    };
    struct Seen {
        double value, error;
        std::size_t id, slot;
    };
    enum class Verdict { Apart, Equal, Open };
    enum class Outcome { Chosen, Open, Incomplete };

    void observe(const Weighing& now);
    void compare(Reference& reference, const Weighing& now) const;
    void make_from(std::size_t level, const Weighing& now, std::size_t count);
    void weigh(std::size_t level, const Weighing& now, std::vector<std::size_t>& ids,
               std::vector<double>& least);
    void tune(std::size_t level, std::size_t parents, std::size_t count);
    void set_limits(List& list, const std::vector<std::size_t>& ids,
                    const std::vector<double>& least, std::size_t count) const;
    void fill(List& list, const std::vector<std::size_t>& ids,
              const std::vector<double>& least) const;
    void scan(List& list, std::size_t machines, std::size_t count);
    Outcome settle(const Weighing& now, std::size_t count, Choice& choice);
    bool choose_from_all(const Weighing& now, std::size_t count, Choice& choice);
    bool choose_among(std::vector<Seen>& all, std::size_t count, Choice& choice);
    double error(std::size_t id) const;
    double slack(double reach) const;
    Verdict judge(const Seen& less, const Seen& more) const;
    bool pick(std::vector<Seen>& seen, std::size_t count, Choice& choice) const;

    const double* columns_;
    std::size_t width_;
    std::vector<double> norms_;  // of every column
    Twins twins_;
    Certainty certainty_;           // of the present choice
    std::vector<char> alive_;       // of every column: may it be chosen
    std::vector<std::size_t> all_;  // candidates, ascending; the dead are cleared out now and then
    std::size_t left_;
    std::vector<List> lists_;
    std::vector<float> single_;  // the present coefficients in single precision
    double longest_ = 0.0;       // norm of the longest column
    double norm_ = 0.0;          // |B|
    double unit_ = 0.0;          // of |w| in single precision
    double single_error_;        // |w| in single precision is off by this times |x| |B|
    std::vector<Seen> seen_;
    std::vector<double> best_;  // least upper bounds seen in a scan, ascending
    std::vector<Seen> close_;   // those of seen_ that single precision cannot tell apart
    std::vector<std::size_t> close_ids_;
    std::vector<double> close_scores_;
};

}  // namespace svsieve
