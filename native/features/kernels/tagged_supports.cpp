#include "features/kernels/tagged_supports.hpp"

#include <algorithm>
#include <mutex>

#include "base/hashing.hpp"
#include "base/parallel.hpp"

namespace palmette {

namespace {

using Block = TaggedSupports::Block;
using Doubles = std::vector<double>;

constexpr std::size_t kStates = 256;  // of a block: its columns stay in the cache
constexpr double kUnknown = -1;       // a symbol that no support has

// Candidates `first` to `last` of a set: the same words. Labels differ from those of the first at `from` to `to` − 1.
struct Window {
    std::size_t from, to;
};
struct TagGroup {
    std::size_t first, last;
    std::size_t length;
    std::vector<std::vector<double>> symbols;  // of the columns of the first, as numbers
    std::vector<std::vector<double>> labels;   // of every candidate
    std::vector<Window> windows;
};

// 1 + π of a word with all states of a block.
template <std::size_t n>
void likeness(const Block& block, const TaggedFragments& kernel, const TagGroup& group, std::size_t j, double* out) {
    const double *word = block.columns[1].data(), *shape = block.columns[n].data();
    const double own = group.symbols[1][j], own_shape = group.symbols[n][j];
    const double w1 = kernel.weights[0], w2 = kernel.weights[n - 1];
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(block.alpha.size());
#pragma omp simd
    for (std::ptrdiff_t i = 0; i < size; ++i) {
        double here = 1.0 + (word[i] == own ? w1 : 0.0);
        if (n == 2) here += shape[i] == own_shape ? w2 : 0.0;
        out[i] = here;
    }
}

// One step for all states of a block: where labels are equal, out(i) = (1 + π)(a(i) + λ before(i + shift)), a being α for
// α F (from i + 1) and 1 for B (from i − 1). Returns Σ out. Gaps have a label that equals no other.
double step(const Block& block, double lambda, double label, const double* like, const double* a, std::ptrdiff_t shift,
            const double* before, double* out) {
    const double* labels = block.columns[0].data();
    const auto at = [=](std::ptrdiff_t i) {
        return labels[i] == label ? like[i] * (a[i] + lambda * before[i + shift]) : 0.0;
    };
    // Two halves side by side, so that a sum need not wait for the one before.
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(block.alpha.size()) - 1, half = (last - 1) / 2;
    double one = 0, two = 0;
#pragma omp simd reduction(+ : one, two)
    for (std::ptrdiff_t i = 1; i <= half; ++i) {
        const double x = at(i), y = at(i + half);
        out[i] = x;
        out[i + half] = y;
        one += x;
        two += y;
    }
    for (std::ptrdiff_t i = 1 + 2 * half; i < last; ++i) two += out[i] = at(i);
    return one + two;
}

// Σ λ B(i−1, p−1) α F(i, p): fragments that begin before p and go on there.
double across(std::size_t size, double lambda, const double* ends, const double* begins) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 1; i < size - 1; ++i) sum += ends[i - 1] * begins[i];
    return lambda * sum;
}

// Room for columns of numbers, one for each state of a block; their first and last numbers, of gaps, stay 0.
class Room {
public:
    void start(std::size_t size, std::size_t columns) {
        size_ = size;
        if (numbers_.size() < size * columns) numbers_.resize(size * columns);
        used_ = 0;
    }
    double* take() {
        double* column = numbers_.data() + size_ * used_++;
        column[0] = column[size_ - 1] = 0;
        return column;
    }
    double* take_zeros() {
        double* column = take();
        std::fill(column, column + size_, 0.0);
        return column;
    }

private:
    std::vector<double> numbers_;
    std::size_t size_ = 0, used_ = 0;
};

// Adds Σ α K to the values of the candidates of a group.
void walk(const Block& block, const TaggedFragments& kernel, const TagGroup& group, Room& room, double* values) {
    const std::size_t size = block.alpha.size(), n = group.length;
    const double lambda = kernel.lambda, *alpha = block.alpha.data();
    enum : std::uint8_t { kBegins = 1, kEnds = 2, kInside = 4 };
    std::vector<std::uint8_t> wanted(n + 1, 0);  // α F at j, B at j − 1, the likeness at j
    std::size_t furthest = 0, columns = 7;
    for (const Window& window : group.windows) {
        if (window.from == window.to) continue;
        wanted[window.from] |= kBegins | kEnds;
        wanted[window.to] |= kBegins;
        for (std::size_t j = window.from; j < window.to; ++j) wanted[j] |= kInside;
        furthest = std::max(furthest, window.from);
    }
    for (std::uint8_t flags : wanted) columns += (flags & kBegins ? 1 : 0) + (flags & kEnds ? 1 : 0) + (flags & kInside ? 1 : 0);
    room.start(size, columns);
    std::vector<const double*> begins(n + 1), ends(n + 1), likes(n + 1);
    double *spare = room.take(), *one = room.take(), *two = room.take(), *zeros = room.take_zeros(), *ones = room.take();
    std::fill(ones, ones + size, 1.0);
    const auto like_at = [&](std::size_t j) -> const double* {
        if (likes[j]) return likes[j];
        double* out = wanted[j] & kInside ? room.take() : spare;
        kernel.weights.size() == 1 ? likeness<1>(block, kernel, group, j, out) : likeness<2>(block, kernel, group, j, out);
        if (wanted[j] & kInside) likes[j] = out;
        return out;
    };
    // For the first candidate: Σ of α F at j, and Σ of the fragments that cross into j.
    std::vector<double> sums(n + 1, 0.0), crossing(n + 1, 0.0);
    const double* before = zeros;
    begins[n] = zeros;
    double whole = 0;
    for (std::size_t j = n; j-- > 0;) {
        double* out = wanted[j] & kBegins ? room.take() : before == one ? two : one;
        sums[j] = step(block, lambda, group.labels[0][j], like_at(j), alpha, 1, before, out);
        whole += sums[j];
        before = begins[j] = out;
    }
    before = zeros;
    for (std::size_t j = 0;; ++j) {
        if (wanted[j] & kEnds) {
            ends[j] = before;
            crossing[j] = across(size, lambda, before, begins[j]);
        }
        if (j >= furthest) break;
        double* out = wanted[j + 1] & kEnds ? room.take() : before == one ? two : one;
        step(block, lambda, group.labels[0][j], like_at(j), ones, -1, before, out);
        before = out;
    }
    for (std::size_t k = 0; k < group.windows.size(); ++k) {
        const auto [from, to] = group.windows[k];
        double value = whole;
        if (from < to) {
            before = begins[to];
            for (std::size_t j = to; j-- > from;) {
                double* out = before == one ? two : one;
                value += step(block, lambda, group.labels[k][j], like_at(j), alpha, 1, before, out) - sums[j];
                before = out;
            }
            value += across(size, lambda, ends[from], before) - crossing[from];
        }
        values[group.first + k] += value;
    }
}

}  // namespace

void TaggedSupports::add(const SequenceSet& sequences, std::span<const std::int64_t> which, std::span<const double> alphas) {
    const std::unique_lock lock(guard_);
    for (std::size_t k = 0; k < which.size(); ++k) add(sequences, static_cast<std::size_t>(which[k]), alphas[k]);
}

void TaggedSupports::add(const SequenceSet& sequences, std::size_t sequence, double alpha) {
    const std::size_t n = sequences.symbols(0, sequence).size();
    if (n == 0) return;  // it has no fragments
    std::uint64_t key = n;
    for (std::size_t c = 0; c < n_columns(); ++c)
        for (std::uint64_t symbol : sequences.symbols(c, sequence)) key = combine(key, symbol);
    auto found = places_.find(key);
    if (found == places_.end()) {
        if (blocks_.empty() || blocks_.back().alpha.size() >= kStates)
            blocks_.push_back({std::vector<Doubles>(n_columns(), Doubles(1, 0.0)), Doubles(1, 0.0)});
        Block& block = blocks_.back();
        const std::size_t first = block.alpha.size();
        // The room first: where there is none, the sequence must not be there either.
        std::vector<Doubles> numbers(n_columns());
        for (std::size_t c = 0; c < n_columns(); ++c) {
            for (std::uint64_t symbol : sequences.symbols(c, sequence))
                numbers[c].push_back(ids_[c].try_emplace(symbol, static_cast<double>(ids_[c].size() + 1)).first->second);
            numbers[c].push_back(0.0);
            block.columns[c].reserve(first + n + 1);
        }
        block.alpha.reserve(first + n + 1);
        found = places_.try_emplace(key, Place{static_cast<std::uint32_t>(blocks_.size() - 1), static_cast<std::uint32_t>(first)}).first;
        for (std::size_t c = 0; c < n_columns(); ++c)
            block.columns[c].insert(block.columns[c].end(), numbers[c].begin(), numbers[c].end());
        block.alpha.resize(first + n + 1, 0.0);
    }
    double* own = blocks_[found->second.block].alpha.data() + found->second.first;
    for (std::size_t i = 0; i < n; ++i) own[i] += alpha;
}

void TaggedSupports::score(const SequenceSet& sequences, int n_jobs, double* out) const {
    const std::shared_lock lock(guard_);
    const auto numbers = [&](std::size_t c, std::size_t s) {
        Doubles found;
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
    std::vector<TagGroup> groups;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        if (groups.empty() || !like(groups.back().first, s)) {
            groups.push_back({s, s, sequences.symbols(0, s).size(), {}, {}, {}});
            for (std::size_t c = 0; c < n_columns(); ++c) groups.back().symbols.push_back(numbers(c, s));
        }
        TagGroup& group = groups.back();
        group.last = s + 1;
        group.labels.push_back(numbers(0, s));
        const Doubles &one = group.labels.front(), &two = group.labels.back();
        std::size_t from = 0, to = group.length;
        while (from < to && one[from] == two[from]) ++from;
        while (to > from && one[to - 1] == two[to - 1]) --to;
        group.windows.push_back({from, to});
    }
    // Sums of each block, added up in the order of the blocks.
    std::vector<Doubles> parts(blocks_.size());
    std::vector<Room> rooms(static_cast<std::size_t>(std::max(n_jobs, 1)));
    parallel(blocks_.size(), n_jobs, [&](std::size_t b, std::size_t thread) {
        parts[b].assign(sequences.size(), 0.0);
        for (const TagGroup& group : groups) walk(blocks_[b], kernel_, group, rooms[thread], parts[b].data());
    });
    std::fill(out, out + sequences.size(), 0.0);
    for (const Doubles& part : parts)
        for (std::size_t s = 0; s < part.size(); ++s) out[s] += part[s];
}

}  // namespace palmette
