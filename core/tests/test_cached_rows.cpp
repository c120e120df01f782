#include "svsieve/cached_rows.hpp"

#include "testing.hpp"

using namespace svsieve;

namespace {

RowData dense(std::size_t n, std::size_t d) {
    return DenseRows{testing::normal_table(n, d, 21), d};
}

// The same numbers with many zeros, dense and sparse.
std::pair<RowData, RowData> with_zeros(std::size_t n, std::size_t d) {
    DenseRows full{testing::normal_table(n, d, 22), d};
    SparseRows sparse;
    sparse.width = d;
    sparse.starts.push_back(0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t l = 0; l < d; ++l) {
            double& v = full.values[i * d + l];
            if ((i + 2 * l) % 3 != 0) {
                v = 0.0;
                continue;
            }
            sparse.columns.push_back(l);
            sparse.values.push_back(v);
        }
        sparse.starts.push_back(sparse.values.size());
    }
    return {full, sparse};
}

std::shared_ptr<KernelTree> composed(const RowData& data) {
    const Profile power{ProfileKind::Power, 0.3, 1.0, 2},
        decay{ProfileKind::Exponential, 0.2, 0.0, 1};
    std::vector<std::shared_ptr<KernelTree>> factors = {
        make_leaf(Pairing::Product, power, data),
        make_leaf(Pairing::SquaredDifference, decay, data)};
    std::vector<std::shared_ptr<KernelTree>> terms = {
        make_normalised(make_product(factors)),
        make_leaf(Pairing::AbsoluteDifference, decay, data)};
    return make_sum(terms, {0.7, 0.3});
}

}  // namespace

TEST(sparse_and_dense_rows_agree) {
    const auto [full, sparse] = with_zeros(30, 17);
    const auto a = composed(full), b = composed(sparse);
    std::vector<double> row_a(30), row_b(30);
    for (std::size_t i = 0; i < 30; ++i) {
        a->row(i, row_a.data());
        b->row(i, row_b.data());
        for (std::size_t k = 0; k < 30; ++k) CHECK_NEAR(row_a[k], row_b[k], 1e-13);
        CHECK_NEAR(row_a[i], a->diagonal()[i], 1e-13);
        CHECK_NEAR(row_b[i], b->diagonal()[i], 1e-13);
    }
}

TEST(a_small_cache_gives_the_same_rows) {
    const std::size_t n = 25;
    CachedRows roomy(composed(dense(n, 4)), 1 << 20), tight(composed(dense(n, 4)), 1);
    CHECK(roomy.capacity() == n);
    CHECK(tight.capacity() == 3);
    std::mt19937 generator(5);
    for (int ask = 0; ask < 200; ++ask) {
        const std::size_t i = generator() % n, j = generator() % n;
        const double *a = tight.row(i), *b = tight.row(j);  // both stay valid
        for (std::size_t k = 0; k < n; ++k) {
            CHECK(a[k] == roomy.row(i)[k]);
            CHECK(b[k] == roomy.row(j)[k]);
        }
    }
}

TEST(a_full_cache_takes_the_memory_of_the_row_asked_for_longest_ago) {
    CachedRows tight(composed(dense(25, 4)), 1), whole(composed(dense(25, 4)), 1 << 20);
    const double *first = tight.row(0), *second = tight.row(1), *third = tight.row(2);
    CHECK(tight.row(0) == first);  // asked for again: it is not the oldest any more
    CHECK(tight.row(3) == second);
    CHECK(tight.row(2) == third);
    CHECK(tight.row(4) == first);
    for (std::size_t k = 0; k < 25; ++k) {
        CHECK(first[k] == whole.row(4)[k]);
        CHECK(second[k] == whole.row(3)[k]);
        CHECK(third[k] == whole.row(2)[k]);
    }
}

TEST(restricted_sources_pick_rows_and_columns) {
    const std::size_t n = 25;
    CachedRows whole(composed(dense(n, 4)), 1 << 20), source(composed(dense(n, 4)), 1 << 20);
    for (std::size_t i = 0; i < 10; ++i) source.row(i);
    const std::vector<std::size_t> kept = {1, 4, 5, 9, 20, 24};
    const auto part = source.restricted(kept);
    CHECK(part->size() == kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
        for (std::size_t k = 0; k < kept.size(); ++k) {
            CHECK_NEAR(part->row(i)[k], whole.row(kept[i])[kept[k]], 1e-14);
        }
        CHECK_NEAR(part->diagonal()[i], whole.diagonal()[kept[i]], 1e-14);
    }
    for (std::size_t k = 0; k < n; ++k) CHECK(source.row(3)[k] == whole.row(3)[k]);  // still serves
}

TEST(rows_added_up_many_at_a_time_are_the_rows) {
    const auto [full, sparse] = with_zeros(150, 7);
    const Profile decay{ProfileKind::Exponential, 0.2, 0.0, 1};
    const Profile power{ProfileKind::Power, 0.3, 1.0, 2};
    std::vector<std::size_t> which;
    std::vector<double> factors;
    for (std::size_t i = 3; i < 150; i += 2) {  // more than one block
        which.push_back(i);
        factors.push_back(0.1 * static_cast<double>(i) - 5.0);
    }
    for (const auto& tree :
         {composed(full), composed(sparse), make_leaf(Pairing::SquaredDifference, decay, full),
          make_leaf(Pairing::AbsoluteDifference, decay, full),
          make_leaf(Pairing::Product, power, full)}) {
        CachedRows rows(tree, 1 << 20);
        rows.row(5);  // one of them is there already
        std::vector<double> sum(150, 1.0), expected(150, 1.0), row(150);
        rows.add_rows(which, factors, sum.data());
        for (std::size_t t = 0; t < which.size(); ++t) {
            tree->row(which[t], row.data());
            for (std::size_t k = 0; k < 150; ++k) expected[k] += factors[t] * row[k];
        }
        for (std::size_t k = 0; k < 150; ++k) CHECK_NEAR(sum[k], expected[k], 1e-10);
    }
}

TEST(picked_rows_are_those_of_the_matrix) {
    const std::size_t n = 12;
    const std::vector<double> gram = testing::normal_table(n, n, 3);
    PickedRows rows(Matrix(gram.data(), n, n), {7, 2, 11, 0, 5});
    const auto fewer = rows.restricted(std::vector<std::size_t>{4, 0, 2});
    const std::size_t picked[] = {7, 2, 11, 0, 5}, left[] = {5, 7, 11};
    CHECK(rows.size() == 5 && rows.capacity() == 5 && fewer->size() == 3);
    for (const std::size_t i : {3, 0, 3, 4}) {
        for (std::size_t j = 0; j < 5; ++j)
            CHECK(rows.row(i)[j] == gram[picked[i] * n + picked[j]]);
        CHECK(rows.diagonal()[i] == gram[picked[i] * n + picked[i]]);
    }
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) CHECK(fewer->row(i)[j] == gram[left[i] * n + left[j]]);
    }
}
