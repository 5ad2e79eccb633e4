#include "tagged_supports.hpp"

#include <algorithm>
#include <mutex>

#include "hashing.hpp"
#include "parallel.hpp"

namespace palmette {

namespace {

using Block = TaggedSupports::Block;
using Reals = std::vector<double>;

constexpr std::size_t kStates = 256;  // of a block: its columns stay in the cache
constexpr double kUnknown = -1;       // a symbol that no support has

// Candidates `first` to `last` of a set: the same words. Labels differ from those of the first at `from` to `to` − 1.
struct Window {
    std::size_t from, to;
};
struct Group {
    std::size_t first, last;
    std::size_t length;
    std::vector<std::vector<double>> symbols;  // of the columns of the first, as numbers
    std::vector<std::vector<double>> labels;   // of every candidate
    std::vector<Window> windows;
};

// What one word of a candidate meets.
struct State {
    double symbols[3];
};

// One step of F (forward, from i + 1) or B (from i − 1) for all states of a block. Returns Σ α out.
template <std::size_t n>
double step(const Block& block, const TaggedFragments& kernel, const State& own, std::ptrdiff_t shift,
            const double* before, double* out) {
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(block.alpha.size());
    const double *label = block.columns[0].data(), *word = block.columns[1].data(), *shape = block.columns[n].data();
    const double *alpha = block.alpha.data(), lambda = kernel.lambda, w1 = kernel.weights[0], w2 = kernel.weights[n - 1];
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::ptrdiff_t i = 1; i < size - 1; ++i) {
        double here = 1.0 + (word[i] == own.symbols[1] ? w1 : 0.0);
        if (n == 2) here += shape[i] == own.symbols[n] ? w2 : 0.0;
        const double value = label[i] == own.symbols[0] ? here * (1 + lambda * before[i + shift]) : 0.0;
        out[i] = value;
        sum += alpha[i] * value;
    }
    return sum;
}

double step(const Block& block, const TaggedFragments& kernel, const State& own, std::ptrdiff_t shift,
            const Reals& before, Reals& out) {
    return kernel.weights.size() == 1 ? step<1>(block, kernel, own, shift, before.data(), out.data())
                                      : step<2>(block, kernel, own, shift, before.data(), out.data());
}

// Σ α λ B(i−1, p−1) F(i, p): fragments that begin before p and go on there.
double across(const Block& block, double lambda, const double* ends, const double* begins) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 1; i < block.alpha.size() - 1; ++i) sum += block.alpha[i] * ends[i - 1] * begins[i];
    return lambda * sum;
}

State state_of(const Group& group, std::size_t candidate, std::size_t j) {
    State state{};
    state.symbols[0] = group.labels[candidate][j];
    for (std::size_t c = 1; c < group.symbols.size(); ++c) state.symbols[c] = group.symbols[c][j];
    return state;
}

// Columns of F or B that are asked for later, with a gap at both ends.
struct Columns {
    std::vector<std::uint8_t> wanted;
    std::vector<Reals> kept;
    explicit Columns(std::size_t n) : wanted(n + 1, 0), kept(n + 1) {}
};

// Adds Σ α K to the values of the candidates of a group.
void walk(const Block& block, const TaggedFragments& kernel, const Group& group, double* values) {
    const std::size_t size = block.alpha.size(), n = group.length;
    Columns begins(n), ends(n);  // F at j; B at j − 1
    std::size_t furthest = 0;
    for (const Window& window : group.windows) {
        if (window.from == window.to) continue;
        begins.wanted[window.from] = begins.wanted[window.to] = ends.wanted[window.from] = 1;
        furthest = std::max(furthest, window.from);
    }
    // Sums of the first candidate: of F at j, and of the fragments that cross into j.
    Reals sums(n + 1, 0.0), crossing(n + 1, 0.0), column(size, 0.0), next(size, 0.0);
    if (begins.wanted[n]) begins.kept[n] = column;
    for (std::size_t j = n; j-- > 0;) {
        sums[j] = step(block, kernel, state_of(group, 0, j), 1, column, next);
        column.swap(next);
        if (begins.wanted[j]) begins.kept[j] = column;
    }
    std::fill(column.begin(), column.end(), 0.0);
    std::fill(next.begin(), next.end(), 0.0);
    for (std::size_t j = 0; j <= furthest && j < n; ++j) {
        if (ends.wanted[j]) {
            ends.kept[j] = column;
            crossing[j] = across(block, kernel.lambda, column.data(), begins.kept[j].data());
        }
        if (j == furthest) break;
        step(block, kernel, state_of(group, 0, j), -1, column, next);
        column.swap(next);
    }
    double whole = 0;
    for (double sum : sums) whole += sum;
    for (std::size_t k = 0; k < group.windows.size(); ++k) {
        const auto [from, to] = group.windows[k];
        double value = whole;
        if (from < to) {
            column = begins.kept[to];
            for (std::size_t j = to; j-- > from;) {
                value += step(block, kernel, state_of(group, k, j), 1, column, next) - sums[j];
                column.swap(next);
            }
            value += across(block, kernel.lambda, ends.kept[from].data(), column.data()) - crossing[from];
        }
        values[group.first + k] += value;
    }
}

}  // namespace

void TaggedSupports::add(const SequenceSet& sequences, std::size_t sequence, double alpha) {
    const std::unique_lock lock(guard_);
    const std::size_t n = sequences.symbols(0, sequence).size();
    if (n == 0) return;  // it has no fragments
    std::uint64_t key = n;
    for (std::size_t c = 0; c < n_columns(); ++c)
        for (std::uint64_t symbol : sequences.symbols(c, sequence)) key = combine(key, symbol);
    const auto [found, is_new] = places_.try_emplace(key);
    if (is_new) {
        if (blocks_.empty() || blocks_.back().alpha.size() >= kStates)
            blocks_.push_back({std::vector<Reals>(n_columns(), Reals(1, 0.0)), Reals(1, 0.0)});
        Block& block = blocks_.back();
        found->second = {static_cast<std::uint32_t>(blocks_.size() - 1), static_cast<std::uint32_t>(block.alpha.size())};
        for (std::size_t c = 0; c < n_columns(); ++c) {
            for (std::uint64_t symbol : sequences.symbols(c, sequence))
                block.columns[c].push_back(ids_[c].try_emplace(symbol, static_cast<double>(ids_[c].size() + 1)).first->second);
            block.columns[c].push_back(0.0);
        }
        block.alpha.resize(block.alpha.size() + n + 1, 0.0);
    }
    double* own = blocks_[found->second.block].alpha.data() + found->second.first;
    for (std::size_t i = 0; i < n; ++i) own[i] += alpha;
}

void TaggedSupports::score(const SequenceSet& sequences, int n_jobs, double* out) const {
    const std::shared_lock lock(guard_);
    const auto numbers = [&](std::size_t c, std::size_t s) {
        Reals found;
        for (std::uint64_t symbol : sequences.symbols(c, s)) {
            const auto at = ids_[c].find(symbol);
            found.push_back(at == ids_[c].end() ? kUnknown : at->second);
        }
        return found;
    };
    const auto like = [&](std::size_t s, std::size_t t) {
        for (std::size_t c = 1; c < n_columns(); ++c)
            if (!std::ranges::equal(sequences.symbols(c, s), sequences.symbols(c, t))) return false;
        return true;
    };
    std::vector<Group> groups;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        if (groups.empty() || !like(groups.back().first, s)) {
            groups.push_back({s, s, sequences.symbols(0, s).size(), {}, {}, {}});
            for (std::size_t c = 0; c < n_columns(); ++c) groups.back().symbols.push_back(numbers(c, s));
        }
        Group& group = groups.back();
        group.last = s + 1;
        group.labels.push_back(numbers(0, s));
        const Reals &one = group.labels.front(), &two = group.labels.back();
        std::size_t from = 0, to = group.length;
        while (from < to && one[from] == two[from]) ++from;
        while (to > from && one[to - 1] == two[to - 1]) --to;
        group.windows.push_back({from, to});
    }
    // Sums of each block, added up in the order of the blocks.
    std::vector<Reals> parts(blocks_.size());
    parallel(blocks_.size(), n_jobs, [&](std::size_t b, std::size_t) {
        parts[b].assign(sequences.size(), 0.0);
        for (const Group& group : groups) walk(blocks_[b], kernel_, group, parts[b].data());
    });
    std::fill(out, out + sequences.size(), 0.0);
    for (const Reals& part : parts)
        for (std::size_t s = 0; s < part.size(); ++s) out[s] += part[s];
}

}  // namespace palmette
