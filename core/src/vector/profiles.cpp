// Elementwise passes over blocks of a pairing matrix, and the table of this instruction set.
#include "kernels.hpp"
#include "lanes.hpp"
#include "svsieve/profile.hpp"

namespace svsieve::SVSIEVE_ISA {

Extremes scan(std::size_t, const double*, const double*, const double*);
Extremes update_and_scan(std::size_t, double, const double*, const double*, double*, const double*,
                         const double*);
std::size_t choose_partner(std::size_t, const double*, const double*, const double*, const double*,
                           double, double);
void add_scaled(std::size_t, double, const double*, double*);
void removal_series(const RemovalTile&, const Expm1Scheme&, int, bool, double*);
void removal_exponential(const RemovalTile&, bool, double*);
void removal_power(const RemovalTile&, int, double*);
void own_removal(std::size_t, const double*, int, double, double, double*);
void absolute_distances(std::size_t, const double*, const double*, std::size_t, double*);
void absolute_slopes(const RemovalTile&, double*);
void add_rows(std::size_t, const std::size_t*, const double*, const double*, std::size_t,
              std::size_t, double*);
void add_outer(std::size_t, std::size_t, double, const double*, double*, std::size_t);
void column_dots(std::size_t, const double* const*, std::size_t, const double*, double*);
float pack_weigh(std::size_t, std::size_t, const float*, const float*, float, const float*, float*);
RowSums weigh_row(std::size_t, double, const double*, double*, double*, double*);
void power_margins(std::size_t, double, const double*, const double*, std::size_t, double*, double*,
                   std::size_t);
void power_rests(const PowerRests&, std::size_t);
void narrow(std::size_t, double, const double*, float*);
void power_sums(std::size_t, std::size_t, const double*, PowersOf, std::size_t,
                const double* const*, double*);
void panel_row(const EntryFunction&, std::size_t, const double*, const double*, std::size_t,
               std::size_t, double*);
void narrow_panel_row(const EntryFunction&, std::size_t, const double*, const double*, std::size_t,
                      std::size_t, float*);
void strip_forms(const StripForms<double>&, double*);
void narrow_strip_forms(const StripForms<float>&, double*);
void row_products(const RowProducts&);
void own_products(std::size_t, const double*, double*);
void twofold_dot(std::size_t, const double*, const double*, const double*, const double*, double*);
void twofold_add_scaled(std::size_t, double, double, const double*, const double*, double*,
                        double*);

namespace {

// Runs `f` on whole vectors and, through a padded copy, on the rest.
template <class F>
inline void each(std::size_t n, const double* in, double* out, F f) {
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) store(out + k, f(load(in + k)));
    if (k < n) {
        double rest[lanes] = {};
        for (std::size_t r = 0; k + r < n; ++r) rest[r] = in[k + r];
        store(rest, f(load(rest)));
        for (std::size_t r = 0; k + r < n; ++r) out[k + r] = rest[r];
    }
}

}  // namespace

void profile(const Profile& p, std::size_t n, const double* s, double* out) {
    const double gamma = p.gamma, coef0 = p.coef0;
    const int degree = p.degree;
    switch (p.kind) {
        case ProfileKind::Identity:
            each(n, s, out, [](Lanes v) { return v; });
            break;
        case ProfileKind::Power:
            each(n, s, out, [=](Lanes v) { return power(gamma * v + coef0, degree); });
            break;
        case ProfileKind::Exponential:
            each(n, s, out, [=](Lanes v) { return exp_nonpositive(smaller(-gamma * v, Lanes{})); });
            break;
    }
}

void to_distance(std::size_t n, double a, const double* norms, double* out) {
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        store(out + k, larger(a + load(norms + k) - 2.0 * load(out + k), Lanes{}));
    }
    for (; k < n; ++k) {
        const double v = a + norms[k] - 2.0 * out[k];
        out[k] = v > 0 ? v : 0;
    }
}

void reduce_distance(std::size_t n, double a, const double* norms, const double* removed,
                     double* s) {
    std::size_t k = 0;
    for (; k + lanes <= n; k += lanes) {
        const Lanes part = larger(a + load(norms + k) - 2.0 * load(removed + k), Lanes{});
        store(s + k, larger(load(s + k) - part, Lanes{}));
    }
    for (; k < n; ++k) {
        double part = a + norms[k] - 2.0 * removed[k];
        part = part > 0 ? part : 0;
        s[k] = s[k] > part ? s[k] - part : 0;
    }
}

#define SVSIEVE_TEXT(x) #x
#define SVSIEVE_NAME(x) SVSIEVE_TEXT(x)

extern const VectorKernels kernels;
const VectorKernels kernels = {
    SVSIEVE_NAME(SVSIEVE_ISA),
    scan,
    update_and_scan,
    choose_partner,
    add_scaled,
    profile,
    to_distance,
    reduce_distance,
    lanes,
    removal_series,
    removal_exponential,
    removal_power,
    own_removal,
    absolute_slopes,
    absolute_distances,
    add_rows,
    add_outer,
    column_dots,
    pack_weigh,
    weigh_row,
    power_margins,
    power_rests,
    narrow,
    power_sums,
    panel_row,
    narrow_panel_row,
    strip_forms,
    narrow_strip_forms,
    row_products,
    own_products,
    twofold_dot,
    twofold_add_scaled,
};

}  // namespace svsieve::SVSIEVE_ISA
