// Sentence pairs for word alignment: every pair of words that meet in a sentence pair has one number.
//
// A sentence pair has l source words and m target words; place 0 of the source is NULL. For every sentence the numbers of its
// links are in rows of the source, [l + 1][m], so that a pass over a corpus streams 4-byte numbers and one table of
// parameters, sorted by source word, stays in the caches. O(links) to build, with one array of target words as a mark.
// A part of a bitext has some of its sentences, and the same numbers of pairs; it owns no data.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
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

    // Sentences begin … end − 1.
    Bitext part(std::size_t begin, std::size_t end) const;

    std::size_t size() const { return end_ - begin_; }
    std::size_t n_pairs() const { return all_->target_of.size(); }
    std::size_t n_target() const { return all_->n_target; }
    std::size_t l(std::size_t s) const { return static_cast<std::size_t>(all_->l[begin_ + s]); }
    std::size_t m(std::size_t s) const { return static_cast<std::size_t>(all_->m[begin_ + s]); }
    std::size_t longest() const { return all_->longest; }  // of the source
    const std::int32_t* source(std::size_t s) const { return all_->source.data() + all_->source_at[begin_ + s]; }  // words, without NULL
    const std::int32_t* target(std::size_t s) const { return all_->target.data() + all_->target_at[begin_ + s]; }
    std::int64_t target_at(std::size_t s) const { return all_->target_at[begin_ + s] - all_->target_at[begin_]; }  // how many target words are before

    // [l + 1][m], from NULL on.
    const std::uint32_t* links(std::size_t s) const { return all_->links.data() + all_->links_at[begin_ + s]; }
    // Where each sentence's links begin, counted from some place; one more than there are sentences.
    std::span<const std::int64_t> links_at() const { return std::span(all_->links_at).subspan(begin_, size() + 1); }

    // Pairs first_of()[e] … belong to source word e − 1, and to NULL for e = 0.
    const std::vector<std::int64_t>& first_of() const { return all_->first_of; }
    const std::vector<std::int32_t>& target_of() const { return all_->target_of; }

    // Sentence pairs with the same lengths have the same shape; shape k has shapes()[k] = (l, m).
    std::size_t shape_of(std::size_t s) const { return static_cast<std::size_t>(all_->shape_of[begin_ + s]); }
    const std::vector<std::int32_t>& shape_lengths() const { return all_->shape_lengths; }  // l, m, l, m, …
    const std::vector<std::int64_t>& shape_at() const { return all_->shape_at; }            // where [l + 1][m] of a shape begins

    // How alike the words of each pair are spelt, 0 … 1: a common beginning of three letters or more as a part of the longer
    // word, squared. 0 for NULL. O(pairs).
    void liken(std::span<const std::string_view> source, std::span<const std::string_view> target);
    const std::vector<float>& alike() const { return *alike_; }  // of pairs; empty if nobody asked

private:
    struct All {
        std::size_t n_target = 0, longest = 0;
        std::vector<std::int32_t> l, m, source, target, target_of, shape_of, shape_lengths;
        std::vector<std::int64_t> source_at, target_at, links_at, first_of, shape_at;
        std::vector<std::uint32_t> links;
    };
    Bitext(std::shared_ptr<const All> all, std::size_t begin, std::size_t end) : all_(std::move(all)), begin_(begin), end_(end) {}

    std::shared_ptr<const All> all_;
    std::shared_ptr<const std::vector<float>> alike_ = std::make_shared<const std::vector<float>>();
    std::size_t begin_ = 0, end_ = 0;
};

}  // namespace palmette
