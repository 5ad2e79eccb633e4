#include "features/kernels/sequences.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/mirror.hpp"
#include "base/parallel.hpp"

namespace palmette {

namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kRows = 16;

template <class T>
struct alignas(64) Lanes {
    T lane[kLanes];
};
using Reals = Lanes<double>;
using Symbols = Lanes<std::uint64_t>;

#define EACH_LANE _Pragma("omp simd") for (std::size_t l = 0; l < kLanes; ++l)

// Up to eight sequences side by side; what is missing at their ends is the symbol 0, which equals no other.
struct Group {
    Group(const SequenceSet& set, std::span<const std::size_t> which) : members(which.begin(), which.end()) {
        for (std::size_t s : members) length = std::max(length, set.symbols(0, s).size());
        columns.assign(set.n_columns(), std::vector<Symbols>(length, Symbols{}));
        for (std::size_t c = 0; c < columns.size(); ++c)
            for (std::size_t l = 0; l < members.size(); ++l) {
                const std::span<const std::uint64_t> symbols = set.symbols(c, members[l]);
                for (std::size_t j = 0; j < symbols.size(); ++j) columns[c][j].lane[l] = symbols[j];
            }
    }

    std::vector<std::size_t> members;
    std::size_t length = 0;
    std::vector<std::vector<Symbols>> columns;
};

// K″_q(i, j) = λ K″_q(i, j−1) + [s_i = t_j] K′_{q−1}(i−1, j−1)
// K′_q(i, j) = λ K′_q(i−1, j) + K″_q(i, j),   K′_0 = 1
// K = λ^2n Σ_ij [s_i = t_j] K′_{n−1}(i−1, j−1)
// `n` is a number at compile time where it is small: K″ and the diagonal then stay in registers.
template <class Size>
Reals gappy(const SequenceSet& set, std::size_t s, const Group& group, double lambda, Size n, std::vector<Reals>& room) {
    const std::size_t levels = n - 1;
    room.assign(group.length * levels, Reals{});
    Reals sum{};
    Reals inner_room[16], diagonal_room[16];
    std::vector<Reals> large(levels > 16 ? 2 * levels : 0);
    Reals* inner = levels > 16 ? large.data() : inner_room;
    Reals* diagonal = levels > 16 ? large.data() + levels : diagonal_room;
    for (const std::uint64_t symbol : set.symbols(0, s)) {
        for (std::size_t q = 0; q < levels; ++q) inner[q] = diagonal[q] = Reals{};
        Reals* outer = room.data();
        for (const Symbols& other : group.columns[0]) {
            Reals equal;
            EACH_LANE equal.lane[l] = other.lane[l] == symbol ? 1.0 : 0.0;
            if (levels == 0) {
                EACH_LANE sum.lane[l] += equal.lane[l];
                continue;
            }
            EACH_LANE sum.lane[l] += equal.lane[l] * diagonal[levels - 1].lane[l];
            for (std::size_t q = levels; q-- > 0;) {
                EACH_LANE {
                    const double before = outer[q].lane[l];
                    const double shorter = q ? equal.lane[l] * diagonal[q - 1].lane[l] : equal.lane[l];
                    inner[q].lane[l] = lambda * inner[q].lane[l] + shorter;
                    outer[q].lane[l] = lambda * before + inner[q].lane[l];
                    diagonal[q].lane[l] = before;
                }
            }
            outer += levels;
        }
    }
    const double scale = std::pow(lambda, 2.0 * static_cast<double>(static_cast<std::size_t>(n)));
    EACH_LANE sum.lane[l] *= scale;
    return sum;
}

template <std::size_t n>
using Constant = std::integral_constant<std::size_t, n>;

Reals row_of(const SequenceSet& set, std::size_t s, const Group& group, const GappySubsequences& kernel,
             std::vector<Reals>& room) {
    switch (kernel.n) {
        case 1: return gappy(set, s, group, kernel.lambda, Constant<1>{}, room);
        case 2: return gappy(set, s, group, kernel.lambda, Constant<2>{}, room);
        case 3: return gappy(set, s, group, kernel.lambda, Constant<3>{}, room);
        case 4: return gappy(set, s, group, kernel.lambda, Constant<4>{}, room);
        case 5: return gappy(set, s, group, kernel.lambda, Constant<5>{}, room);
        default: return gappy(set, s, group, kernel.lambda, kernel.n, room);
    }
}

// The mismatches of the windows that end at i and j: those that end one earlier, with one pair more and one less.
Reals row_of(const SequenceSet& set, std::size_t s, const Group& group, const Mismatches& kernel, std::vector<Reals>& room) {
    const std::span<const std::uint64_t> symbols = set.symbols(0, s);
    const std::vector<Symbols>& others = group.columns[0];
    const std::size_t n = kernel.n, most = kernel.shared.size();
    Reals sum{};
    if (symbols.size() < n || group.length < n) return sum;
    room.assign(group.length + 1, Reals{});  // at j + 1: mismatches of the windows that end at (i, j)
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        for (std::size_t j = group.length; j-- > 0;) {
            Reals& count = room[j + 1];
            const bool leaves = i >= n && j >= n;
            EACH_LANE {
                count.lane[l] = room[j].lane[l] + (others[j].lane[l] == symbols[i] ? 0.0 : 1.0);
                if (leaves) count.lane[l] -= others[j - n].lane[l] == symbols[i - n] ? 0.0 : 1.0;
            }
            if (i + 1 < n || j + 1 < n) continue;
            for (std::size_t l = 0; l < kLanes; ++l) {
                const std::size_t d = static_cast<std::size_t>(count.lane[l]);
                if (d < most && others[j].lane[l]) sum.lane[l] += kernel.shared[d];
            }
        }
    }
    return sum;
}

// Δ(i, j) from Δ(i+1, j+1), or Δ_q from Δ_{q−1} where fragments are bounded; n columns besides the label.
template <std::size_t n, bool bounded>
Reals tagged(const SequenceSet& set, std::size_t s, const Group& group, const TaggedFragments& kernel,
             std::vector<Reals>& room) {
    const std::size_t levels = bounded ? kernel.longest : 1;
    room.assign((group.length + 1) * levels, Reals{});  // at j: Δ(i+1, j), turned into Δ(i, j) from left to right
    Reals sum{};
    const double lambda = kernel.lambda;
    double weights[n + 1];
    const Symbols* others[n + 1];
    for (std::size_t c = 0; c <= n; ++c) {
        weights[c] = c ? kernel.weights[c - 1] : 0.0;
        others[c] = group.columns[c].data();
    }
    for (std::size_t i = set.symbols(0, s).size(); i-- > 0;) {
        std::uint64_t own[n + 1];
        for (std::size_t c = 0; c <= n; ++c) own[c] = set.symbols(c, s)[i];
        for (std::size_t j = 0; j < group.length; ++j) {
            Reals here;
            EACH_LANE {
                double like = 1.0;
                for (std::size_t c = 1; c <= n; ++c) like += others[c][j].lane[l] == own[c] ? weights[c] : 0.0;
                here.lane[l] = others[0][j].lane[l] == own[0] ? like : 0.0;
            }
            Reals* now = room.data() + j * levels;
            const Reals* next = now + levels;
            if (bounded) EACH_LANE now[0].lane[l] = here.lane[l];
            for (std::size_t q = bounded ? 1 : 0; q < levels; ++q)
                EACH_LANE now[q].lane[l] = here.lane[l] * (1 + lambda * next[bounded ? q - 1 : q].lane[l]);
            EACH_LANE sum.lane[l] += now[levels - 1].lane[l];
        }
    }
    return sum;
}

Reals row_of(const SequenceSet& set, std::size_t s, const Group& group, const TaggedFragments& kernel,
             std::vector<Reals>& room) {
    if (kernel.longest >= group.length)
        return kernel.weights.size() == 1 ? tagged<1, false>(set, s, group, kernel, room)
                                          : tagged<2, false>(set, s, group, kernel, room);
    return kernel.weights.size() == 1 ? tagged<1, true>(set, s, group, kernel, room)
                                      : tagged<2, true>(set, s, group, kernel, room);
}

// Sequences of about the same length, eight by eight.
std::vector<Group> groups_of(const SequenceSet& set) {
    std::vector<std::size_t> order(set.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return set.symbols(0, i).size() < set.symbols(0, j).size();
    });
    std::vector<Group> groups;
    for (std::size_t at = 0; at < order.size(); at += kLanes)
        groups.emplace_back(set, std::span(order).subspan(at, std::min(kLanes, order.size() - at)));
    return groups;
}

template <class Kernel>
void gram(const SequenceSet& a, const SequenceSet& b, const Kernel& kernel, int n_jobs, double* out) {
    const bool same = &a == &b;
    const std::vector<Group> groups = groups_of(b);
    std::vector<std::size_t> place(b.size());  // in the order of the groups
    for (std::size_t g = 0, at = 0; g < groups.size(); ++g)
        for (std::size_t s : groups[g].members) place[s] = at++;
    parallel((a.size() + kRows - 1) / kRows, n_jobs, [&](std::size_t piece, std::size_t) {
        std::vector<Reals> room;
        for (std::size_t i = piece * kRows; i < std::min(a.size(), (piece + 1) * kRows); ++i)
            for (std::size_t g = same ? place[i] / kLanes : 0; g < groups.size(); ++g) {
                const Reals values = row_of(a, i, groups[g], kernel, room);
                for (std::size_t l = 0; l < groups[g].members.size(); ++l) {
                    const std::size_t j = groups[g].members[l];
                    if (!same)
                        out[i * b.size() + j] = values.lane[l];
                    else if (place[i] <= place[j])
                        out[std::min(i, j) * b.size() + std::max(i, j)] = values.lane[l];
                }
            }
    });
    if (same) mirror(out, a.size(), n_jobs);
}

template <class Kernel>
void diagonal(const SequenceSet& a, const Kernel& kernel, int n_jobs, double* out) {
    parallel((a.size() + kRows - 1) / kRows, n_jobs, [&](std::size_t piece, std::size_t) {
        std::vector<Reals> room;
        for (std::size_t i = piece * kRows; i < std::min(a.size(), (piece + 1) * kRows); ++i)
            out[i] = row_of(a, i, Group(a, std::span(&i, 1)), kernel, room).lane[0];
    });
}

}  // namespace

void sequence_gram(const SequenceSet& a, const SequenceSet& b, const GappySubsequences& kernel, int n_jobs, double* out) {
    gram(a, b, kernel, n_jobs, out);
}
void sequence_gram(const SequenceSet& a, const SequenceSet& b, const Mismatches& kernel, int n_jobs, double* out) {
    gram(a, b, kernel, n_jobs, out);
}
void sequence_gram(const SequenceSet& a, const SequenceSet& b, const TaggedFragments& kernel, int n_jobs, double* out) {
    gram(a, b, kernel, n_jobs, out);
}
void sequence_diagonal(const SequenceSet& a, const GappySubsequences& kernel, int n_jobs, double* out) {
    diagonal(a, kernel, n_jobs, out);
}
void sequence_diagonal(const SequenceSet& a, const Mismatches& kernel, int n_jobs, double* out) {
    diagonal(a, kernel, n_jobs, out);
}
void sequence_diagonal(const SequenceSet& a, const TaggedFragments& kernel, int n_jobs, double* out) {
    diagonal(a, kernel, n_jobs, out);
}

}  // namespace palmette
