#include "ngram_table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "parallel.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Line = TableView::Line;

constexpr double kPerLine = 3.6;     // entries in a line on average
constexpr std::size_t kRegions = 64;  // of the table; each fits a cache, and has one thread at a time
constexpr std::size_t kPieces = 16;   // of a level
constexpr u32 kAhead = 12;            // entries whose lines are fetched in advance

struct Entry {
    u64 key;
    float prob, backoff;
};

enum class Put { done, full, twice };

Put put(Line& line, const Entry& entry) {
    const u32 print = TableView::print_of(entry.key);
    for (int i = 0; i < TableView::kEntries; ++i) {
        if (line.prints[i] == print) return Put::twice;
        if (line.prints[i]) continue;
        line.prints[i] = print;
        line.probs[i] = entry.prob;
        line.backoffs[i] = entry.backoff;
        return Put::done;
    }
    line.full = 1;
    return Put::full;
}

// False if two n-grams agree in line and fingerprint.
bool fill(const BackoffModel& model, u64 seed, TableLines& lines, int n_jobs) {
    const u64 n_lines = lines.size();
    const TableView view(lines, seed);
    std::vector<u64> keys, next_keys;
    for (u32 w = 0; w < model.size(0); ++w) keys.push_back(view.start(w));
    std::vector<Entry> overflow;
    for (int level = 1; level < model.order(); ++level) {
        const NgramLevel &above = model.levels[level - 1], &here = model.levels[level];
        const u32 n = model.size(level), parents = model.size(level - 1);
        const bool last = level + 1 == model.order();
        next_keys.resize(n);
        std::vector<std::array<u32, kRegions>> counts(kPieces);
        const auto region = [&](u64 key) { return TableView::line_of(key, kRegions); };
        parallel(kPieces, n_jobs, [&](std::size_t piece, std::size_t) {
            counts[piece].fill(0);
            for (u32 p = u64{parents} * piece / kPieces, to = u64{parents} * (piece + 1) / kPieces; p < to; ++p)
                for (u32 c = above.starts[p]; c < above.starts[p + 1]; ++c) {
                    next_keys[c] = TableView::extend(keys[p], here.words[c]);
                    ++counts[piece][region(next_keys[c])];
                }
        });
        u32 sum = 0;
        std::vector<u32> bounds;
        for (std::size_t r = 0; r < kRegions; ++r) {
            bounds.push_back(sum);
            for (auto& piece : counts) {
                const u32 count = piece[r];
                piece[r] = sum;
                sum += count;
            }
        }
        bounds.push_back(sum);
        std::vector<Entry> entries(n);
        parallel(kPieces, n_jobs, [&](std::size_t piece, std::size_t) {
            const u32 from = above.starts[u64{parents} * piece / kPieces];
            const u32 to = above.starts[u64{parents} * (piece + 1) / kPieces];
            for (u32 c = from; c < to; ++c) {
                float backoff = last ? -0.0f : here.backoffs[c];
                if (!last && backoff == 0) backoff = here.starts[c] < here.starts[c + 1] ? 0.0f : -0.0f;
                entries[counts[piece][region(next_keys[c])]++] = {next_keys[c], here.probs[c], backoff};
            }
        });
        std::vector<std::vector<Entry>> left(kRegions);
        std::vector<std::uint8_t> twice(kRegions, 0);
        parallel(kRegions, n_jobs, [&](std::size_t r, std::size_t) {
            for (u32 i = bounds[r]; i < bounds[r + 1]; ++i) {
                if (i + kAhead < bounds[r + 1]) __builtin_prefetch(&lines[TableView::line_of(entries[i + kAhead].key, n_lines)], 1);
                const Put result = put(lines[TableView::line_of(entries[i].key, n_lines)], entries[i]);
                if (result == Put::full) left[r].push_back(entries[i]);
                twice[r] |= result == Put::twice;
            }
        });
        for (std::size_t r = 0; r < kRegions; ++r) {
            if (twice[r]) return false;
            overflow.insert(overflow.end(), left[r].begin(), left[r].end());
        }
        keys.swap(next_keys);
    }
    for (const Entry& entry : overflow) {
        u64 at = TableView::line_of(entry.key, n_lines);
        for (Put result; (result = put(lines[at], entry)) != Put::done; at = at + 1 == n_lines ? 0 : at + 1)
            if (result == Put::twice) return false;
    }
    return true;
}

}  // namespace

TableLines make_table(const BackoffModel& model, u64& seed, int n_jobs) {
    u64 n = 0;
    for (int level = 1; level < model.order(); ++level) n += model.size(level);
    // Regions are ranges of lines: a line belongs to one region only if their number divides that of the lines.
    const u64 n_lines = (static_cast<u64>(double(n) / kPerLine) / kRegions + 1) * kRegions;
    for (seed = 1; seed < 100; ++seed) {
        TableLines lines(n_lines);
        if (fill(model, seed * kOdd, lines, n_jobs)) {
            seed *= kOdd;
            return lines;
        }
    }
    throw std::runtime_error("no hash function tells the n-grams of this model apart");
}

}  // namespace palmette
