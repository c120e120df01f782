#include "arrays.hpp"

#include <stdexcept>
#include <string>

namespace svsieve::bindings {

Matrix view(const Table& table) {
    return {table.data(), table.shape(0), table.shape(1)};
}
MutableMatrix view(const OutTable& table) {
    return {table.data(), table.shape(0), table.shape(1)};
}
Vector view(const Column& column) {
    return {column.data(), column.shape(0)};
}

static_assert(sizeof(std::size_t) == sizeof(std::int64_t));
Indices view(const IndexColumn& column) {
    return {reinterpret_cast<const std::size_t*>(column.data()), column.shape(0)};
}

Indices checked(const IndexColumn& column, std::size_t limit, const char* name) {
    for (std::size_t k = 0; k < column.shape(0); ++k) {
        const std::int64_t index = column.data()[k];
        if (index < 0 || static_cast<std::size_t>(index) >= limit) {
            throw std::invalid_argument(std::string(name) + " holds " + std::to_string(index) +
                                        ", which is not in [0, " + std::to_string(limit) + ")");
        }
    }
    return view(column);
}

OwnedColumn owned(std::vector<double>&& values) {
    auto* kept = new std::vector<double>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return OwnedColumn(kept->data(), {kept->size()}, owner);
}

}  // namespace svsieve::bindings
