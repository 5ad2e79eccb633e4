// Sentence pairs for word alignment: every pair of words that meet in a sentence pair has one number.
//
// A sentence pair has l source words and m target words; place 0 of the source is NULL. For every sentence the numbers of its
// links stand in rows of the source, [l + 1][m], so that a pass over a corpus streams 4-byte numbers and one table of
// parameters, sorted by source word, stays in the caches. O(links) to build, with one array of target words as a mark.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace palmette {

struct Side {
    std::span<const std::int64_t> offsets;  // of sentences, one more than there are
    std::span<const std::int32_t> words;
    std::size_t length(std::size_t s) const { return static_cast<std::size_t>(offsets[s + 1] - offsets[s]); }
    const std::int32_t* sentence(std::size_t s) const { return words.data() + offsets[s]; }
};

class Bitext {
public:
    // Source words are 0 … n_source − 1, without NULL; both sides have as many sentences.
    Bitext(Side source, Side target, std::size_t n_source, std::size_t n_target);

    std::size_t size() const { return links_at_.size() - 1; }
    std::size_t n_pairs() const { return target_of_.size(); }
    std::size_t l(std::size_t s) const { return static_cast<std::size_t>(l_[s]); }
    std::size_t m(std::size_t s) const { return static_cast<std::size_t>(m_[s]); }

    // [l + 1][m], from NULL on.
    const std::uint32_t* links(std::size_t s) const { return links_.data() + links_at_[s]; }
    const std::vector<std::int64_t>& links_at() const { return links_at_; }

    // Pairs first_of()[e] … belong to source word e − 1, and to NULL for e = 0.
    const std::vector<std::int64_t>& first_of() const { return first_of_; }
    const std::vector<std::int32_t>& target_of() const { return target_of_; }

    // Sentence pairs with the same lengths have the same shape; shape k has shapes()[k] = (l, m).
    std::size_t shape_of(std::size_t s) const { return static_cast<std::size_t>(shape_of_[s]); }
    const std::vector<std::int32_t>& shape_lengths() const { return shape_lengths_; }  // l, m, l, m, …
    const std::vector<std::int64_t>& shape_at() const { return shape_at_; }            // where [l + 1][m] of a shape begins

private:
    std::vector<std::int32_t> l_, m_, target_of_, shape_of_, shape_lengths_;
    std::vector<std::int64_t> links_at_, first_of_, shape_at_;
    std::vector<std::uint32_t> links_;
};

}  // namespace palmette
