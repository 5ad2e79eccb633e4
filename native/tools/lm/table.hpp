// All n-grams of two words or more in one hash table, for speed: an n-gram is one cache line away, and the lines of
// all n-grams that end at a word are known before any is read, so that they can be fetched together.
//
// A line has five entries of a fingerprint, a probability and a backoff. An n-gram that finds its line full goes to
// the next. A key has 64 bits, of which the line and the fingerprint use about 54; two n-grams that agree in these are
// noticed when the table is made, and it is made again with another seed. A word sequence that is not in the model
// passes for one that is once in 10^9 lookups.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.hpp"
#include "base/raw_vector.hpp"
#include "tools/lm/model.hpp"

namespace palmette {

class TableView {
public:
    static constexpr int kEntries = 5;
    struct Line {
        std::uint32_t prints[kEntries];
        float probs[kEntries];
        float backoffs[kEntries];
        std::uint32_t full;  // whether an n-gram went on to the next line
    };

    TableView() = default;
    TableView(std::span<const Line> lines, std::uint64_t seed) : lines_(lines), seed_(seed) {}

    explicit operator bool() const { return !lines_.empty(); }
    std::uint64_t size() const { return lines_.size(); }

    // The key of a word alone, and of an n-gram with one word more.
    std::uint64_t start(std::uint32_t word) const { return combine(seed_, word); }
    static std::uint64_t extend(std::uint64_t key, std::uint32_t word) { return combine(key, word); }

    static std::uint64_t line_of(std::uint64_t key, std::uint64_t n_lines) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(key) * n_lines >> 64);
    }
    static std::uint32_t print_of(std::uint64_t key) {
        const auto print = static_cast<std::uint32_t>(key);
        return print ? print : 1;
    }

    void prefetch(std::uint64_t key) const { __builtin_prefetch(&lines_[line_of(key, lines_.size())]); }

    // Whether the n-gram is there, and its values. A backoff of −0 says that no n-gram begins with it.
    bool find(std::uint64_t key, float& prob, float& backoff) const {
        const std::uint32_t print = print_of(key);
        std::uint64_t at = line_of(key, lines_.size());
        for (std::uint64_t tried = 0; tried < lines_.size(); ++tried) {
            const Line& line = lines_[at];
            // Without a branch for each entry, which could not be foreseen.
            unsigned same = 0;
            for (int i = 0; i < kEntries; ++i) same |= unsigned{line.prints[i] == print} << i;
            if (same) {
                const int i = std::countr_zero(same);
                prob = line.probs[i];
                backoff = line.backoffs[i];
                return true;
            }
            if (!line.full) return false;
            if (++at == lines_.size()) at = 0;
        }
        return false;
    }

private:
    std::span<const Line> lines_;
    std::uint64_t seed_ = 0;
};

// Lines begin where cache lines do. (Those of a file do too, but nothing depends on it.)
using TableLines = RawVector<TableView::Line>;

// The table of a model; `seed` is set to the one that was used. O(n-grams).
TableLines make_table(const BackoffModel& model, std::uint64_t& seed, int n_jobs);

}  // namespace palmette
