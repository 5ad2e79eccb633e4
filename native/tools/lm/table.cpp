#include "tools/lm/table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/crew.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Line = TableView::Line;

constexpr double kPerLine = 3.6;  // entries in a line on average
constexpr u64 kUnit = 64;         // lines come in multiples of it
constexpr int kRegionBits = 13;   // a region of the table is 2^13 lines, which fit a cache; more if there were
constexpr u64 kRegions = 512;     // more regions than this
constexpr u64 kTablePieces = 64;       // of the model

struct Entry {
    u64 key;
    float prob, backoff;
};

enum class Put { done, full, twice };

Put put(Line& line, const Entry& entry) {
    const u32 print = TableView::print_of(entry.key);
    // Without a branch for each entry, which could not be foreseen.
    unsigned same = 0, empty = 0;
    for (int i = 0; i < TableView::kEntries; ++i) {
        same |= unsigned{line.prints[i] == print} << i;
        empty |= unsigned{line.prints[i] == 0} << i;
    }
    if (same) return Put::twice;
    if (!empty) {
        line.full = 1;
        return Put::full;
    }
    const int i = std::countr_zero(empty);
    line.prints[i] = print;
    line.probs[i] = entry.prob;
    line.backoffs[i] = entry.backoff;
    return Put::done;
}

// Entries are made in pieces, words of the vocabulary with all n-grams that begin with them, and each is laid where
// the lines of its region will be; then each region is made of its own. The order of the entries of a line is that of
// the pieces: it does not depend on the number of threads.
class Filling {
public:
    Filling(const BackoffModel& model, u64 seed, TableLines& lines, Crew& crew)
        : model_(model), view_(lines, seed), lines_(lines), crew_(crew) {
        region_bits_ = std::max(kRegionBits, static_cast<int>(std::bit_width(lines.size() / kRegions)));
        n_regions_ = std::max<u64>(lines.size() >> region_bits_, 1);  // the last is the largest
    }

    // False if two n-grams agree in line and fingerprint, or the entries of a region take more room than its lines,
    // which have room for four each: rather improbable.
    bool run() {
        cut();
        std::vector<std::vector<u32>> next(kTablePieces);  // how many entries of a region a piece has; then where the next goes
        crew_(kTablePieces, [&](std::size_t piece, std::size_t) {
            next[piece].assign(n_regions_, 0);
            entries_of(piece, [&](int, u32, u64 key) { ++next[piece][region(key)]; });
        });
        std::vector<u32> sizes(n_regions_, 0);
        for (u64 r = 0; r < n_regions_; ++r) {
            for (auto& piece : next) sizes[r] += std::exchange(piece[r], sizes[r]);
            if (sizes[r] * sizeof(Entry) > lines_in(r) * sizeof(Line)) return false;
        }
        const auto laid = [&](u64 r, std::size_t i) { return reinterpret_cast<char*>(first_line(r)) + i * sizeof(Entry); };
        crew_(kTablePieces, [&](std::size_t piece, std::size_t) {
            u32* at = next[piece].data();
            entries_of(piece, [&](int level, u32 node, u64 key) {
                const Entry entry{key, model_.levels[level].probs[node], backoff(level, node)};
                const u64 r = region(key);
                std::memcpy(laid(r, at[r]++), &entry, sizeof(Entry));
            });
        });
        std::vector<std::vector<Entry>> left(n_regions_);
        std::vector<std::uint8_t> twice(n_regions_, 0);
        std::vector<std::vector<Entry>> buffers(crew_.size());
        crew_(n_regions_, [&](std::size_t r, std::size_t thread) {
            std::vector<Entry>& entries = buffers[thread];
            entries.resize(sizes[r]);
            if (sizes[r]) std::memcpy(static_cast<void*>(entries.data()), laid(r, 0), sizes[r] * sizeof(Entry));
            twice[r] = !fill(r, entries, left[r]);
        });
        if (std::find(twice.begin(), twice.end(), 1) != twice.end()) return false;
        for (const std::vector<Entry>& some : left)
            for (const Entry& entry : some) {
                u64 at = line_of(entry.key);
                for (Put result; (result = put(lines_[at], entry)) != Put::done;) {
                    if (result == Put::twice) return false;
                    if (++at == lines_.size()) at = 0;
                }
            }
        return true;
    }

private:
    u64 line_of(u64 key) const { return TableView::line_of(key, lines_.size()); }
    u64 region(u64 key) const { return std::min(line_of(key) >> region_bits_, n_regions_ - 1); }
    Line* first_line(u64 r) { return lines_.data() + (r << region_bits_); }
    u64 lines_in(u64 r) const {
        return r + 1 < n_regions_ ? u64{1} << region_bits_ : lines_.size() - (r << region_bits_);
    }

    float backoff(int level, u32 node) const {
        if (level + 1 == model_.order()) return -0.0f;
        const NgramLevel& here = model_.levels[level];
        if (here.backoffs[node] != 0) return here.backoffs[node];
        return here.starts[node] < here.starts[node + 1] ? 0.0f : -0.0f;
    }

    // Words in ranges, by level the first node of each: about as many of the longest n-grams begin in each.
    void cut() {
        const auto descend = [&](u32 word) {
            std::vector<u32> first{word};
            for (int level = 0; level + 1 < model_.order(); ++level) first.push_back(model_.levels[level].starts[first.back()]);
            return first;
        };
        u32 word = 0;
        const u32 n_words = model_.size(0);
        for (std::size_t piece = 0; piece < kTablePieces; ++piece) {
            cuts_.push_back(descend(word));
            const u64 wanted = u64{model_.size(model_.order() - 1)} * (piece + 1) / kTablePieces;
            u32 low = word, high = n_words;
            while (low < high) {
                const u32 middle = low + (high - low) / 2;
                if (descend(middle).back() < wanted)
                    low = middle + 1;
                else
                    high = middle;
            }
            word = low;
        }
        cuts_.push_back(descend(n_words));
    }

    // Calls work(level, node, key) for all n-grams of a piece of two words or more.
    template <class Work>
    void entries_of(std::size_t piece, Work&& work) const {
        const std::vector<u32>&first = cuts_[piece], &last = cuts_[piece + 1];
        std::vector<u64> keys, next_keys;
        for (u32 w = first[0]; w < last[0]; ++w) keys.push_back(view_.start(w));
        for (int level = 1; level < model_.order(); ++level) {
            const u32 *starts = model_.levels[level - 1].starts.data(), *words = model_.levels[level].words.data();
            next_keys.resize(last[level] - first[level]);
            u64* out = next_keys.data();
            for (u32 p = first[level - 1], node = first[level]; p < last[level - 1]; ++p) {
                const u64 key = keys[p - first[level - 1]];
                for (const u32 end = starts[p + 1]; node < end; ++node)
                    work(level, node, *out++ = TableView::extend(key, words[node]));
            }
            keys.swap(next_keys);
        }
    }

    // Makes the lines of a region; what must go on to the next region is left.
    bool fill(u64 r, const std::vector<Entry>& entries, std::vector<Entry>& left) {
        Line *const begin = first_line(r), *const end = begin + lines_in(r);
        std::fill(begin, end, Line{});
        std::vector<Entry> overflow;
        for (const Entry& entry : entries) {
            const Put result = put(lines_[line_of(entry.key)], entry);
            if (result == Put::twice) return false;
            if (result == Put::full) overflow.push_back(entry);
        }
        for (const Entry& entry : overflow) {
            Line* at = &lines_[line_of(entry.key)];
            Put result = Put::full;
            while (at < end && (result = put(*at, entry)) == Put::full) ++at;
            if (result == Put::twice) return false;
            if (result == Put::full) left.push_back(entry);
        }
        return true;
    }

    const BackoffModel& model_;
    TableView view_;
    TableLines& lines_;
    Crew& crew_;
    int region_bits_;
    u64 n_regions_;
    std::vector<std::vector<u32>> cuts_;
};

}  // namespace

TableLines make_table(const BackoffModel& model, u64& seed, int n_jobs) {
    u64 n = 0;
    for (int level = 1; level < model.order(); ++level) n += model.size(level);
    const u64 n_lines = (static_cast<u64>(double(n) / kPerLine) / kUnit + 1) * kUnit;
    TableLines lines(n_lines);
    Crew crew(n_jobs);
    for (seed = 1; seed < 100; ++seed)
        if (Filling(model, seed * kOdd, lines, crew).run()) {
            seed *= kOdd;
            return lines;
        }
    throw std::runtime_error("no hash function tells the n-grams of this model apart");
}

}  // namespace palmette
