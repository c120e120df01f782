#include "wide/refined_products.hpp"

#include <algorithm>
#include <cmath>

#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
constexpr std::size_t block = 512;  // columns that are packed at a time
// Products are computed anew when the diagonal left is so small a share of what it was.
constexpr double least_remainder = 0x1p-20;

std::size_t padded(std::size_t n) {
    return (n + row_padding - 1) / row_padding * row_padding;
}

}  // namespace

void TwofoldVector::assign(std::size_t count) {
    hi.assign(padded(count), 0.0);
    lo.assign(padded(count), 0.0);
}

RefinedProducts::RefinedProducts(Matrix x, const std::vector<std::size_t>& columns)
    : x_(x), columns_(columns), place_(x.rows, nowhere) {}

void RefinedProducts::forget(const std::vector<std::size_t>& columns) {
    std::vector<std::size_t> gone(columns), left;
    std::sort(gone.begin(), gone.end());
    std::set_difference(columns_.begin(), columns_.end(), gone.begin(), gone.end(),
                        std::back_inserter(left));
    columns_.swap(left);
    if (!covered_.empty()) pending_.insert(pending_.end(), gone.begin(), gone.end());
}

// Row less the first row, `count` entries and zeros up to the next unit.
void RefinedProducts::pack(std::size_t row, const std::size_t* columns, std::size_t count,
                           double* hi, double* lo) const {
    const double *values = x_.row(row), *top = x_.row(0);
    for (std::size_t c = 0; c < count; ++c) {
        const DoubleDouble difference = two_sum(values[columns[c]], -top[columns[c]]);
        hi[c] = difference.hi;
        lo[c] = difference.lo;
    }
    for (std::size_t c = count; c < padded(count); ++c) hi[c] = lo[c] = 0.0;
}

void RefinedProducts::weigh(const std::vector<DoubleDouble>& b, TwofoldVector& w) const {
    const std::size_t d = columns_.size();
    w.assign(d);
    TwofoldVector row;
    row.assign(d);
    for (std::size_t i = 1; i < x_.rows; ++i) {
        if (b[i].hi == 0.0) continue;
        pack(i, columns_.data(), d, row.hi.data(), row.lo.data());
        vector_kernels().twofold_add_scaled(padded(d), b[i].hi, b[i].lo, row.hi.data(),
                                            row.lo.data(), w.hi.data(), w.lo.data());
    }
}

std::vector<double> RefinedProducts::spans() const {
    std::vector<double> out(columns_.size(), 0.0);
    for (std::size_t i = 1; i < x_.rows; ++i) {
        for (std::size_t c = 0; c < out.size(); ++c)
            out[c] = std::max(out[c], std::abs(x_(i, columns_[c]) - x_(0, columns_[c])));
    }
    return out;
}

double RefinedProducts::project(const TwofoldVector& w, std::vector<DoubleDouble>& g) const {
    const std::size_t d = columns_.size();
    TwofoldVector row;
    row.assign(d);
    g.assign(x_.rows, DoubleDouble());
    double longest = 0.0;
    for (std::size_t i = 1; i < x_.rows; ++i) {
        pack(i, columns_.data(), d, row.hi.data(), row.lo.data());
        double sum[2];
        vector_kernels().twofold_dot(padded(d), row.hi.data(), row.lo.data(), w.hi.data(),
                                     w.lo.data(), sum);
        g[i] = {sum[0], sum[1]};
        double square = 0.0;
        for (std::size_t c = 0; c < d; ++c) square += row.hi[c] * row.hi[c];
        longest = std::max(longest, square);
    }
    return longest;
}

double RefinedProducts::price(const std::vector<std::size_t>& rows) const {
    const auto d = static_cast<double>(columns_.size()), n = static_cast<double>(rows.size());
    if (2 * columns_.size() <= built_with_) return 0.5 * n * n * d;
    const auto known = static_cast<double>(covered_.size());
    double fresh = 0.0;
    for (const std::size_t row : rows) fresh += place_[row] == nowhere ? 1.0 : 0.0;
    return 0.5 * known * known * static_cast<double>(pending_.size()) +
           fresh * (known + 0.5 * fresh) * d;
}

// Rows `first` and later of the products, over these columns.
void RefinedProducts::add_products(const std::vector<std::size_t>& columns, std::size_t first,
                                   double sign) {
    const std::size_t n = covered_.size();
    std::vector<double> hi(n * block), lo(n * block);
    for (std::size_t start = 0; start < columns.size(); start += block) {
        const std::size_t count = std::min(block, columns.size() - start), width = padded(count);
        for (std::size_t a = 0; a < n; ++a) {
            pack(covered_[a], columns.data() + start, count, hi.data() + a * block,
                 lo.data() + a * block);
        }
        for (std::size_t a = first; a < n; ++a) {
            for (std::size_t c = 0; c <= a; ++c) {
                double sum[2];
                vector_kernels().twofold_dot(width, hi.data() + a * block, lo.data() + a * block,
                                             hi.data() + c * block, lo.data() + c * block, sum);
                products_[a].set(c, products_[a][c] + DoubleDouble(sign * sum[0], sign * sum[1]));
            }
        }
    }
}

// Subtracts the columns that are gone, or forgets all products: where computing them anew is
// cheaper, or where too many digits would be lost.
void RefinedProducts::catch_up() {
    bool worn = 2 * columns_.size() <= built_with_;
    if (!worn && !pending_.empty()) {
        add_products(pending_, 0, -1.0);
        double left = 0.0, built = 0.0;
        for (std::size_t a = 0; a < covered_.size(); ++a) {
            left += products_[a].hi[a];
            built += scales_[a];
        }
        worn = left < least_remainder * built;
    }
    pending_.clear();
    if (!worn) return;
    std::fill(place_.begin(), place_.end(), nowhere);
    covered_.clear();
    products_.clear();
    scales_.clear();
}

void RefinedProducts::cover(const std::vector<std::size_t>& rows) {
    catch_up();
    const std::size_t known = covered_.size();
    for (const std::size_t row : rows) {
        if (place_[row] != nowhere) continue;
        place_[row] = covered_.size();
        covered_.push_back(row);
        products_.emplace_back();
        products_.back().assign(covered_.size());
    }
    if (known == 0) built_with_ = columns_.size();
    if (covered_.size() == known) return;
    add_products(columns_, known, 1.0);
    for (std::size_t a = known; a < covered_.size(); ++a) scales_.push_back(products_[a].hi[a]);
}

DoubleDouble RefinedProducts::product(std::size_t i, std::size_t k) const {
    const std::size_t a = place_[i], c = place_[k];
    return a >= c ? products_[a][c] : products_[c][a];
}

}  // namespace svsieve
