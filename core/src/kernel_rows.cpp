#include "svsieve/kernel_rows.hpp"

#include <utility>

#include "vector/kernels.hpp"

namespace svsieve {

void RowSource::add_rows(Indices which, Vector factors, double* out) {
    for (std::size_t t = 0; t < which.size(); ++t)
        vector_kernels().add_scaled(size(), factors[t], row(which[t]), out);
}

GramRows::GramRows(Matrix gram) : gram_(gram), diagonal_(gram.rows) {
    for (std::size_t i = 0; i < gram_.rows; ++i) diagonal_[i] = gram_(i, i);
}

GramRows::GramRows(std::vector<double> storage, std::size_t size)
    : storage_(std::move(storage)), gram_(storage_.data(), size, size), diagonal_(size) {
    for (std::size_t i = 0; i < size; ++i) diagonal_[i] = gram_(i, i);
}

std::unique_ptr<RowSource> GramRows::restricted(Indices kept) {
    std::vector<double> storage(kept.size() * kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const double* source = gram_.row(kept[i]);
        double* target = storage.data() + i * kept.size();
        for (std::size_t j = 0; j < kept.size(); ++j) target[j] = source[kept[j]];
    }
    return std::make_unique<GramRows>(std::move(storage), kept.size());
}

PickedRows::PickedRows(Matrix gram, std::vector<std::size_t> picked)
    : gram_(gram),
      picked_(std::move(picked)),
      diagonal_(picked_.size()),
      gathered_(picked_.size()) {
    for (std::size_t i = 0; i < picked_.size(); ++i) diagonal_[i] = gram_(picked_[i], picked_[i]);
}

const double* PickedRows::row(std::size_t i) {
    if (!gathered_[i]) {
        gathered_[i].reset(new double[picked_.size()]);
        const double* source = gram_.row(picked_[i]);
        double* target = gathered_[i].get();
        for (std::size_t j = 0; j < picked_.size(); ++j) target[j] = source[picked_[j]];
    }
    return gathered_[i].get();
}

std::unique_ptr<RowSource> PickedRows::restricted(Indices kept) {
    std::vector<std::size_t> picked(kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) picked[i] = picked_[kept[i]];
    return std::make_unique<PickedRows>(gram_, std::move(picked));
}

}  // namespace svsieve
