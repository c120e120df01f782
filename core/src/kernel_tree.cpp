#include "svsieve/kernel_tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parallel.hpp"
#include "svsieve/linalg.hpp"
#include "vector/kernels.hpp"

namespace svsieve {

namespace {

constexpr std::size_t chunk = 2048;  // rows of one parallel task

DenseRows pick(const DenseRows& data, Indices kept) {
    DenseRows out;
    out.width = data.width;
    out.values.reserve(kept.size() * data.width);
    for (std::size_t k : kept) {
        const double* row = data.values.data() + k * data.width;
        out.values.insert(out.values.end(), row, row + data.width);
    }
    return out;
}

SparseRows pick(const SparseRows& data, Indices kept) {
    SparseRows out;
    out.width = data.width;
    out.starts.push_back(0);
    for (std::size_t k : kept) {
        for (std::size_t e = data.starts[k]; e < data.starts[k + 1]; ++e) {
            out.columns.push_back(data.columns[e]);
            out.values.push_back(data.values[e]);
        }
        out.starts.push_back(out.values.size());
    }
    return out;
}

// Both difference pairings are s_ik = base_i + base_k + sum_l c(x_il, x_kl), where the correction c
// is zero unless both entries are non-zero; so is the product with base = 0. One formula for sparse
// rows.
double base_term(Pairing pairing, double x) {
    if (pairing == Pairing::Product) return 0.0;
    return pairing == Pairing::SquaredDifference ? x * x : std::abs(x);
}

double correction(Pairing pairing, double x, double z) {
    if (pairing == Pairing::Product) return x * z;
    if (pairing == Pairing::SquaredDifference) return -2.0 * x * z;
    return std::abs(x - z) - std::abs(x) - std::abs(z);
}

class Leaf final : public KernelTree {
  public:
    Leaf(Pairing pairing, Profile profile, RowData data)
        : pairing_(pairing), profile_(profile), data_(std::move(data)) {
        size_ = std::visit([](const auto& rows) { return rows.rows(); }, data_);
        base_.assign(size_, 0.0);
        squares_.assign(size_, 0.0);
        for (std::size_t i = 0; i < size_; ++i) {
            each_entry(i, [&](std::size_t, double x) {
                base_[i] += base_term(pairing_, x);
                squares_[i] += x * x;
            });
        }
        if (const auto* sparse = std::get_if<SparseRows>(&data_))
            scattered_.assign(sparse->width, 0.0);
    }

    std::size_t size() const override { return size_; }

    void row(std::size_t i, double* out) override {
        if (std::holds_alternative<DenseRows>(data_)) {
            dense_row(i, out);
        } else {
            sparse_row(i, out);
        }
        if (pairing_ != Pairing::Product) out[i] = 0.0;
        const long chunks = static_cast<long>((size_ + chunk - 1) / chunk);
#pragma omp parallel for schedule(static) if (is_worth_sharing())
        for (long c = 0; c < chunks; ++c) {
            const std::size_t k0 = static_cast<std::size_t>(c) * chunk;
            vector_kernels().profile(profile_, std::min(chunk, size_ - k0), out + k0, out + k0);
        }
    }

    void rows(Indices which, double* out) override {
        const auto* dense = std::get_if<DenseRows>(&data_);
        if (dense == nullptr) return KernelTree::rows(which, out);
        const DenseRows picked = pick(*dense, which);
        const MutableMatrix target(out, which.size(), size_);
        cross_pairing(pairing_, Matrix(picked.values.data(), which.size(), dense->width),
                      Matrix(dense->values.data(), size_, dense->width), target, &profile_);
        if (pairing_ == Pairing::Product) return;
        // A row is at no distance from itself, whatever rounding says.
        for (std::size_t t = 0; t < which.size(); ++t) {
            double own = 0.0;
            vector_kernels().profile(profile_, 1, &own, &own);
            target(t, which[t]) = own;
        }
    }

    std::vector<double> diagonal() const override {
        std::vector<double> out(size_, 0.0);
        if (pairing_ == Pairing::Product) out = squares_;
        vector_kernels().profile(profile_, size_, out.data(), out.data());
        return out;
    }

    std::shared_ptr<KernelTree> restricted(Indices kept) const override {
        return std::visit(
            [&](const auto& rows) {
                return make_leaf(pairing_, profile_, RowData(pick(rows, kept)));
            },
            data_);
    }

  private:
    template <class F>
    void each_entry(std::size_t i, F f) const {
        if (const auto* dense = std::get_if<DenseRows>(&data_)) {
            for (std::size_t l = 0; l < dense->width; ++l)
                f(l, dense->values[i * dense->width + l]);
        } else {
            const auto& sparse = std::get<SparseRows>(data_);
            for (std::size_t e = sparse.starts[i]; e < sparse.starts[i + 1]; ++e) {
                f(sparse.columns[e], sparse.values[e]);
            }
        }
    }

    // A product for every entry of the table and a profile for every row.
    bool is_worth_sharing() const {
        const auto entries = std::visit(
            [](const auto& rows) { return static_cast<double>(rows.values.size()); }, data_);
        return entries / 8.0 + 4.0 * static_cast<double>(size_) > work_worth_sharing;
    }

    void dense_row(std::size_t i, double* out) const {
        const auto& data = std::get<DenseRows>(data_);
        const double* x = data.values.data() + i * data.width;
        const long chunks = static_cast<long>((size_ + chunk - 1) / chunk);
#pragma omp parallel for schedule(static) if (is_worth_sharing())
        for (long c = 0; c < chunks; ++c) {
            const std::size_t k0 = static_cast<std::size_t>(c) * chunk;
            const std::size_t count = std::min(chunk, size_ - k0);
            const Matrix part(data.values.data() + k0 * data.width, count, data.width);
            if (pairing_ == Pairing::AbsoluteDifference) {
                for (std::size_t k = 0; k < count; ++k) {
                    double sum = 0.0;
                    for (std::size_t l = 0; l < data.width; ++l) sum += std::abs(x[l] - part(k, l));
                    out[k0 + k] = sum;
                }
            } else {
                multiply(part, x, out + k0);
                if (pairing_ == Pairing::SquaredDifference) {
                    vector_kernels().to_distance(count, base_[i], base_.data() + k0, out + k0);
                }
            }
        }
    }

    void sparse_row(std::size_t i, double* out) {
        const auto& data = std::get<SparseRows>(data_);
        each_entry(i, [&](std::size_t l, double x) { scattered_[l] = x; });
        const long chunks = static_cast<long>((size_ + chunk - 1) / chunk);
#pragma omp parallel for schedule(static) if (is_worth_sharing())
        for (long c = 0; c < chunks; ++c) {
            const std::size_t k0 = static_cast<std::size_t>(c) * chunk;
            for (std::size_t k = k0; k < std::min(k0 + chunk, size_); ++k) {
                double sum = base_[i] + base_[k];
                for (std::size_t e = data.starts[k]; e < data.starts[k + 1]; ++e) {
                    const double x = scattered_[data.columns[e]];
                    if (x != 0.0) sum += correction(pairing_, x, data.values[e]);
                }
                out[k] = pairing_ == Pairing::Product ? sum : std::max(0.0, sum);
            }
        }
        each_entry(i, [&](std::size_t l, double) { scattered_[l] = 0.0; });
    }

    Pairing pairing_;
    Profile profile_;
    RowData data_;
    std::size_t size_ = 0;
    std::vector<double> base_;
    std::vector<double> squares_;
    std::vector<double> scattered_;  // one sparse row written out
};

using Children = std::vector<std::shared_ptr<KernelTree>>;

Children restrict_all(const Children& children, Indices kept) {
    Children out;
    for (const auto& child : children) out.push_back(child->restricted(kept));
    return out;
}

class SumNode final : public KernelTree {
  public:
    SumNode(Children terms, std::vector<double> coefficients)
        : terms_(std::move(terms)),
          coefficients_(std::move(coefficients)),
          part_(terms_.front()->size()) {}

    std::size_t size() const override { return part_.size(); }

    void row(std::size_t i, double* out) override {
        std::fill(out, out + size(), 0.0);
        for (std::size_t t = 0; t < terms_.size(); ++t) {
            terms_[t]->row(i, part_.data());
            vector_kernels().add_scaled(size(), coefficients_[t], part_.data(), out);
        }
    }

    std::vector<double> diagonal() const override {
        std::vector<double> out(size(), 0.0);
        for (std::size_t t = 0; t < terms_.size(); ++t) {
            const std::vector<double> part = terms_[t]->diagonal();
            for (std::size_t k = 0; k < out.size(); ++k) out[k] += coefficients_[t] * part[k];
        }
        return out;
    }

    std::shared_ptr<KernelTree> restricted(Indices kept) const override {
        return make_sum(restrict_all(terms_, kept), coefficients_);
    }

  private:
    Children terms_;
    std::vector<double> coefficients_;
    std::vector<double> part_;
};

class ProductNode final : public KernelTree {
  public:
    explicit ProductNode(Children factors)
        : factors_(std::move(factors)), part_(factors_.front()->size()) {}

    std::size_t size() const override { return part_.size(); }

    void row(std::size_t i, double* out) override {
        std::fill(out, out + size(), 1.0);
        for (const auto& factor : factors_) {
            factor->row(i, part_.data());
            for (std::size_t k = 0; k < size(); ++k) out[k] *= part_[k];
        }
    }

    std::vector<double> diagonal() const override {
        std::vector<double> out(size(), 1.0);
        for (const auto& factor : factors_) {
            const std::vector<double> part = factor->diagonal();
            for (std::size_t k = 0; k < out.size(); ++k) out[k] *= part[k];
        }
        return out;
    }

    std::shared_ptr<KernelTree> restricted(Indices kept) const override {
        return make_product(restrict_all(factors_, kept));
    }

  private:
    Children factors_;
    std::vector<double> part_;
};

// k(x, z) / sqrt(k(x, x) k(z, z)), with 0/0 = 0.
class NormalisedNode final : public KernelTree {
  public:
    explicit NormalisedNode(std::shared_ptr<KernelTree> base)
        : base_(std::move(base)), inverse_root_(base_->diagonal()) {
        for (double& d : inverse_root_) d = d > 0 ? 1.0 / std::sqrt(d) : 0.0;
    }

    std::size_t size() const override { return inverse_root_.size(); }

    void row(std::size_t i, double* out) override {
        base_->row(i, out);
        for (std::size_t k = 0; k < size(); ++k) out[k] *= inverse_root_[i] * inverse_root_[k];
        if (inverse_root_[i] > 0) out[i] = 1.0;
    }

    std::vector<double> diagonal() const override {
        std::vector<double> out(size());
        for (std::size_t k = 0; k < size(); ++k) out[k] = inverse_root_[k] > 0 ? 1.0 : 0.0;
        return out;
    }

    std::shared_ptr<KernelTree> restricted(Indices kept) const override {
        return make_normalised(base_->restricted(kept));
    }

  private:
    std::shared_ptr<KernelTree> base_;
    std::vector<double> inverse_root_;
};

}  // namespace

void KernelTree::rows(Indices which, double* out) {
    for (std::size_t t = 0; t < which.size(); ++t) row(which[t], out + t * size());
}

std::shared_ptr<KernelTree> make_leaf(Pairing pairing, Profile profile, RowData data) {
    return std::make_shared<Leaf>(pairing, profile, std::move(data));
}

std::shared_ptr<KernelTree> make_sum(std::vector<std::shared_ptr<KernelTree>> terms,
                                     std::vector<double> coefficients) {
    return std::make_shared<SumNode>(std::move(terms), std::move(coefficients));
}

std::shared_ptr<KernelTree> make_product(std::vector<std::shared_ptr<KernelTree>> factors) {
    return std::make_shared<ProductNode>(std::move(factors));
}

std::shared_ptr<KernelTree> make_normalised(std::shared_ptr<KernelTree> base) {
    return std::make_shared<NormalisedNode>(std::move(base));
}

}  // namespace svsieve
