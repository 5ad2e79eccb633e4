#include "structures/arcs/grand_siblings.hpp"

#include <algorithm>
#include <numeric>

#include "base/vector_exp.hpp"

namespace palmette {
namespace {

constexpr double kNoStructure = -std::numeric_limits<double>::infinity();

struct Max {
    using V = float;
    static constexpr V one = 0, zero = -std::numeric_limits<float>::infinity();
    static V times(V a, V b) { return a + b; }
    struct Sum {
        V value = zero;
        void add(V v) { value = v > value ? v : value; }
        V get() const { return value; }
    };
};

struct Sums {
    using V = double;
    static constexpr V one = 1, zero = 0;
    static V times(V a, V b) { return a * b; }
    struct Sum {
        V value = 0;
        void add(V v) { value += v; }
        V get() const { return value; }
    };
    // The share of a term in its sum.
    static double share(V term, V sum) { return term / sum; }
};

// For sentences whose sums leave the range of a double.
struct Logs {
    using V = double;
    static constexpr V one = 0, zero = kNoStructure;
    static V times(V a, V b) { return a + b; }
    struct Sum {
        V high = kNoStructure, sum = 0;
        void add(V v) {
            if (v == kNoStructure) return;
            if (v <= high) {
                sum += std::exp(v - high);
            } else {
                sum = sum * std::exp(high - v) + 1;
                high = v;
            }
        }
        V get() const { return high == kNoStructure ? kNoStructure : high + std::log(sum); }
    };
    static double share(V term, V sum) { return std::exp(term - sum); }
};

template <class V>
void sort_by_width(const ArcGraph& g, TreeSpace<V>& s) {
    const std::size_t A = g.arcs();
    s.by_width.resize(A);
    std::vector<std::int32_t> at(g.n + 2, 0);
    for (std::size_t a = 0; a < A; ++a) ++at[std::abs(g.head[a] - g.mod[a]) + 1];
    for (std::size_t d = 0; d <= g.n; ++d) at[d + 1] += at[d];
    for (std::size_t a = 0; a < A; ++a) s.by_width[at[std::abs(g.head[a] - g.mod[a])]++] = static_cast<std::int32_t>(a);
}

template <class S>
void inside(const ArcGraph& g, const typename S::V* parts, const typename S::V* last, const typename S::V* none,
            TreeSpace<typename S::V>& s) {
    using V = typename S::V;
    const std::size_t n = g.n, A = g.arcs(), width = n + 2;
    s.right.assign((A + 1) * width, S::zero);
    s.left.assign((A + 1) * width, S::zero);
    s.open.assign(g.row_at.back(), S::zero);
    s.between.assign(g.column_at.back(), S::zero);
    sort_by_width(g, s);
    V* R = s.right.data();
    V* L = s.left.data();
    for (std::size_t b = 0; b <= A; ++b) {
        const std::size_t h = b < A ? static_cast<std::size_t>(g.mod[b]) : 0;
        R[b * width + h] = none[2 * h + 1];
        L[b * width + h] = none[2 * h];
    }
    std::size_t next = 0;
    for (std::size_t d = 1; d <= n; ++d) {
        for (; next < A && static_cast<std::size_t>(std::abs(g.head[s.by_width[next]] - g.mod[s.by_width[next]])) == d; ++next) {
            const std::size_t a = static_cast<std::size_t>(s.by_width[next]);
            const std::int32_t h = g.head[a], m = g.mod[a];
            const bool right = h < m;
            const std::size_t columns = g.columns(a), slots = g.slots(a);
            V* between = s.between.data() + g.column_at[a];
            between[0] = right ? L[a * width + h + 1] : R[a * width + h - 1];
            for (std::size_t j = 1; j < columns; ++j) {
                const std::size_t c = g.sibling(a, j);
                const std::int32_t sib = g.mod[c];
                const V* r = R + (right ? c : a) * width;
                const V* l = L + (right ? a : c) * width + 1;
                typename S::Sum sum;
                for (std::int32_t k = right ? sib : m, end = right ? m : sib; k < end; ++k) sum.add(S::times(r[k], l[k]));
                between[j] = sum.get();
            }
            for (std::size_t slot = 0; slot < slots; ++slot) {
                const V* part = parts + g.part_at[a] + slot * columns;
                typename S::Sum sum;
                sum.add(S::times(between[0], part[0]));
                for (std::size_t j = 1; j < columns; ++j)
                    sum.add(S::times(S::times(s.open[g.row_at[g.sibling(a, j)] + slot], between[j]), part[j]));
                s.open[g.row_at[a] + slot] = sum.get();
            }
        }
        for (std::size_t b = 0; b <= A; ++b) {
            const std::size_t h = b < A ? static_cast<std::size_t>(g.mod[b]) : 0, slot = b < A ? g.slot(b) : 0;
            const std::int32_t *begin = g.out.data() + g.out_at[h], *end = g.out.data() + g.out_at[h + 1];
            if (h + d <= n) {
                const std::size_t e = h + d;
                typename S::Sum sum;
                for (const std::int32_t* k = end; k-- > begin;) {
                    const std::size_t a = static_cast<std::size_t>(*k), m = static_cast<std::size_t>(g.mod[a]);
                    if (m < h) break;
                    if (m <= e) sum.add(S::times(S::times(s.open[g.row_at[a] + slot], last[a]), R[a * width + e]));
                }
                R[b * width + e] = sum.get();
            }
            if (h > d) {
                const std::size_t e = h - d;
                typename S::Sum sum;
                for (const std::int32_t* k = begin; k < end; ++k) {
                    const std::size_t a = static_cast<std::size_t>(*k), m = static_cast<std::size_t>(g.mod[a]);
                    if (m > h) break;
                    if (m >= e) sum.add(S::times(S::times(s.open[g.row_at[a] + slot], last[a]), L[a * width + e]));
                }
                L[b * width + e] = sum.get();
            }
        }
    }
}

// Every item's probability flows to its terms, each by its share; the widest item first.
template <class S>
void outside(const ArcGraph& g, const typename S::V* parts, const typename S::V* last, TreeSpace<typename S::V>& s,
             float* part_flow, float* last_flow, float* none_flow) {
    using V = typename S::V;
    const std::size_t n = g.n, A = g.arcs(), width = n + 2;
    s.flow_right.assign((A + 1) * width, 0);
    s.flow_left.assign((A + 1) * width, 0);
    s.flow_open.assign(g.row_at.back(), 0);
    s.flow_between.assign(g.column_at.back(), 0);
    std::fill_n(part_flow, g.parts(), 0.0f);
    std::fill_n(last_flow, A, 0.0f);
    std::fill_n(none_flow, 2 * (n + 1), 0.0f);
    const V* R = s.right.data();
    const V* L = s.left.data();
    s.flow_right[A * width + n] = 1;
    std::size_t next = A;
    for (std::size_t d = n; d >= 1; --d) {
        for (std::size_t b = 0; b <= A; ++b) {
            const std::size_t h = b < A ? static_cast<std::size_t>(g.mod[b]) : 0, slot = b < A ? g.slot(b) : 0;
            const std::int32_t *begin = g.out.data() + g.out_at[h], *end = g.out.data() + g.out_at[h + 1];
            if (h + d <= n && s.flow_right[b * width + h + d] > 0) {
                const std::size_t e = h + d;
                const V sum = R[b * width + e];
                const double flow = s.flow_right[b * width + e];
                for (const std::int32_t* k = end; k-- > begin;) {
                    const std::size_t a = static_cast<std::size_t>(*k), m = static_cast<std::size_t>(g.mod[a]);
                    if (m < h) break;
                    if (m > e) continue;
                    const double share = flow * S::share(S::times(S::times(s.open[g.row_at[a] + slot], last[a]), R[a * width + e]), sum);
                    s.flow_open[g.row_at[a] + slot] += share;
                    s.flow_right[a * width + e] += share;
                    last_flow[a] += static_cast<float>(share);
                }
            }
            if (h > d && s.flow_left[b * width + h - d] > 0) {
                const std::size_t e = h - d;
                const V sum = L[b * width + e];
                const double flow = s.flow_left[b * width + e];
                for (const std::int32_t* k = begin; k < end; ++k) {
                    const std::size_t a = static_cast<std::size_t>(*k), m = static_cast<std::size_t>(g.mod[a]);
                    if (m > h) break;
                    if (m < e) continue;
                    const double share = flow * S::share(S::times(S::times(s.open[g.row_at[a] + slot], last[a]), L[a * width + e]), sum);
                    s.flow_open[g.row_at[a] + slot] += share;
                    s.flow_left[a * width + e] += share;
                    last_flow[a] += static_cast<float>(share);
                }
            }
        }
        for (; next > 0 && static_cast<std::size_t>(std::abs(g.head[s.by_width[next - 1]] - g.mod[s.by_width[next - 1]])) == d; --next) {
            const std::size_t a = static_cast<std::size_t>(s.by_width[next - 1]);
            const std::int32_t h = g.head[a], m = g.mod[a];
            const bool right = h < m;
            const std::size_t columns = g.columns(a), slots = g.slots(a);
            const V* between = s.between.data() + g.column_at[a];
            double* flow_between = s.flow_between.data() + g.column_at[a];
            for (std::size_t slot = 0; slot < slots; ++slot) {
                const double flow = s.flow_open[g.row_at[a] + slot];
                if (!(flow > 0)) continue;
                const V sum = s.open[g.row_at[a] + slot];
                const V* part = parts + g.part_at[a] + slot * columns;
                float* to = part_flow + g.part_at[a] + slot * columns;
                const double first = flow * S::share(S::times(between[0], part[0]), sum);
                flow_between[0] += first;
                to[0] += static_cast<float>(first);
                for (std::size_t j = 1; j < columns; ++j) {
                    const std::size_t c = g.row_at[g.sibling(a, j)] + slot;
                    const double share = flow * S::share(S::times(S::times(s.open[c], between[j]), part[j]), sum);
                    flow_between[j] += share;
                    s.flow_open[c] += share;
                    to[j] += static_cast<float>(share);
                }
            }
            (right ? s.flow_left[a * width + h + 1] : s.flow_right[a * width + h - 1]) += flow_between[0];
            for (std::size_t j = 1; j < columns; ++j) {
                if (!(flow_between[j] > 0)) continue;
                const std::size_t c = g.sibling(a, j);
                const std::int32_t sib = g.mod[c];
                const std::size_t r = (right ? c : a) * width, l = (right ? a : c) * width + 1;
                for (std::int32_t k = right ? sib : m, end = right ? m : sib; k < end; ++k) {
                    const double share = flow_between[j] * S::share(S::times(R[r + k], L[l + k]), between[j]);
                    s.flow_right[r + k] += share;
                    s.flow_left[l + k] += share;
                }
            }
        }
    }
    for (std::size_t b = 0; b <= A; ++b) {
        const std::size_t h = b < A ? static_cast<std::size_t>(g.mod[b]) : 0;
        none_flow[2 * h + 1] += static_cast<float>(s.flow_right[b * width + h]);
        none_flow[2 * h] += static_cast<float>(s.flow_left[b * width + h]);
    }
}

}  // namespace

double best_tree(const TreeScores<float>& scores, TreeSpace<float>& s, std::int32_t* heads) {
    const ArcGraph& g = *scores.graph;
    const std::size_t n = g.n, A = g.arcs(), width = n + 2;
    if (!n) return 0;
    inside<Max>(g, scores.parts, scores.last, scores.none, s);
    const float total = s.right[A * width + n];
    if (total == Max::zero) return kNoStructure;
    // The best term of an item is found again when the item is on the best tree.
    struct Item {
        std::size_t b;
        std::int32_t e;  // closed(b, e)
        bool right;
    };
    std::vector<Item> agenda{{A, static_cast<std::int32_t>(n), true}};
    while (!agenda.empty()) {
        const Item item = agenda.back();
        agenda.pop_back();
        const std::int32_t h = item.b < A ? g.mod[item.b] : 0;
        if (item.e == h) continue;
        const std::size_t slot = item.b < A ? g.slot(item.b) : 0;
        const std::vector<float>& closed = item.right ? s.right : s.left;
        std::size_t outermost = A;
        float high = Max::zero;
        for (std::int32_t k = g.out_at[h]; k < g.out_at[h + 1]; ++k) {
            const std::size_t a = static_cast<std::size_t>(g.out[k]);
            const std::int32_t m = g.mod[a];
            if (item.right ? m < h || m > item.e : m > h || m < item.e) continue;
            const float v = s.open[g.row_at[a] + slot] + scores.last[a] + closed[a * width + item.e];
            if (v > high) high = v, outermost = a;
        }
        agenda.push_back({outermost, item.e, item.right});
        // From the outermost modifier inwards.
        for (std::size_t a = outermost;;) {
            const std::int32_t m = g.mod[a];
            heads[m - 1] = h;
            const std::size_t columns = g.columns(a);
            const float* between = s.between.data() + g.column_at[a];
            const float* part = scores.parts + g.part_at[a] + slot * columns;
            std::size_t column = 0;
            high = between[0] + part[0];
            for (std::size_t j = 1; j < columns; ++j) {
                const float v = s.open[g.row_at[g.sibling(a, j)] + slot] + between[j] + part[j];
                if (v > high) high = v, column = j;
            }
            if (!column) {
                agenda.push_back({a, item.right ? h + 1 : h - 1, !item.right});
                break;
            }
            const std::size_t c = g.sibling(a, column);
            const std::size_t r = item.right ? c : a, l = item.right ? a : c;
            const std::int32_t begin = item.right ? g.mod[c] : m, end = item.right ? m : g.mod[c];
            std::int32_t split = begin;
            high = Max::zero;
            for (std::int32_t k = begin; k < end; ++k) {
                const float v = s.right[r * width + k] + s.left[l * width + k + 1];
                if (v > high) high = v, split = k;
            }
            agenda.push_back({r, split, true});
            agenda.push_back({l, split + 1, false});
            a = c;
        }
    }
    return total;
}

double tree_marginals(const TreeScores<double>& scores, TreeSpace<double>& s, float* parts, float* last, float* none) {
    const ArcGraph& g = *scores.graph;
    const std::size_t n = g.n, A = g.arcs(), width = n + 2;
    if (!n) {
        std::fill_n(none, 2, 0.0f);
        none[1] = 1;
        return 0;
    }
    // e^(score − the best score of the same modifier), so that most sums are near one.
    s.factors.resize(g.parts());
    s.ends.resize(A + 2 * (n + 1));
    double shift = 0;
    bool wide = false;
    const auto whole = [](double x) { return x > 0 ? 0.0 : x; };
    for (std::size_t m = 1; m <= n; ++m) {
        const std::size_t begin = g.part_at[g.in[m]], end = g.part_at[g.in[m + 1]];
        if (begin == end) return kNoStructure;
        double high = kNoStructure;
        for (std::size_t k = begin; k < end; ++k) high = std::max(high, scores.parts[k]);
        if (high == kNoStructure) return kNoStructure;
        shift += high;
        for (std::size_t k = begin; k < end; ++k) s.factors[k] = exp_negative(whole(scores.parts[k] - high));
    }
    for (std::size_t a = 0; a < A; ++a) s.ends[a] = std::exp(scores.last[a]);
    for (std::size_t k = 0; k < 2 * (n + 1); ++k) s.ends[A + k] = std::exp(scores.none[k]);
    inside<Sums>(g, s.factors.data(), s.ends.data(), s.ends.data() + A, s);
    double z = s.right[A * width + n];
    wide = !(z > 1e-250 && z < 1e250);
    if (!wide) {
        outside<Sums>(g, s.factors.data(), s.ends.data(), s, parts, last, none);
        return shift + std::log(z);
    }
    for (std::size_t k = 0; k < g.parts(); ++k) s.factors[k] = scores.parts[k];
    for (std::size_t a = 0; a < A; ++a) s.ends[a] = scores.last[a];
    for (std::size_t k = 0; k < 2 * (n + 1); ++k) s.ends[A + k] = scores.none[k];
    inside<Logs>(g, s.factors.data(), s.ends.data(), s.ends.data() + A, s);
    z = s.right[A * width + n];
    if (z == kNoStructure) return kNoStructure;
    outside<Logs>(g, s.factors.data(), s.ends.data(), s, parts, last, none);
    return z;
}

}  // namespace palmette
