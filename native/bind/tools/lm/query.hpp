// A language model over the arrays of its file, for the files that bind what asks one.
#pragma once
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/bind.hpp"
#include "bind/tools/lm/model.hpp"
#include "tools/lm/query.hpp"

// Number of n-grams, records, and the low and high parts and samples of the starts, and codes.
using NgramLevelArrays = std::tuple<std::uint64_t, Array<std::uint8_t>, Array<std::uint8_t>, Array<std::uint64_t>, Array<std::uint32_t>, Array<float>>;
using NgramLines = nb::ndarray<const std::uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A model over arrays that it keeps alive.
class NgramModel {
public:
    NgramModel(const Array<std::uint8_t>& text, const Array<std::int64_t>& offsets, const Array<float>& unigrams,
               const std::vector<NgramLevelArrays>& levels, int quantize, const std::optional<NgramLines>& table, std::uint64_t seed)
        : words_(checked_words(text, offsets)), unigrams_(unigrams), arrays_(levels), lines_(table) {
        require(words_.size() >= 3 && words_.word(0) == "<unk>" && words_.word(1) == "<s>" && words_.word(2) == "</s>",
                "the first words are not <unk>, <s> and </s>");
        require(!levels.empty() && levels.size() <= palmette::kMaxOrder, "not between one and nine orders");
        require(quantize == 0 || (quantize >= 2 && quantize <= 16), "values of a strange number of bits");
        require(unigrams.size() == 2 * std::size_t{words_.size()}, "not two numbers for each word");
        const int word_bits = palmette::bits_for(words_.size());
        std::vector<palmette::TrieView::Level> views;
        for (std::size_t k = 0; k < levels.size(); ++k) {
            const auto& [size, records, low, high, samples, codes] = levels[k];
            const bool last = k + 1 == levels.size();
            require(size < 0xFFFFFFF0u && (k || size == words_.size()), "a strange number of n-grams");
            palmette::TrieView::Level view;
            view.size = size;
            if (k) {
                const std::uint64_t bits = std::uint64_t(palmette::TrieView::record_bits(word_bits, quantize, last));
                require(records.size() == palmette::bytes_for(size * bits), "records of another length than their number says");
                view.records = {records.data(), records.size()};
                require(!quantize || codes.size() == std::size_t{2} << quantize, "not as many values as there are codes");
                view.codes = {codes.data(), codes.size()};
            }
            if (!last) {
                const std::uint64_t below = std::get<0>(levels[k + 1]);
                const palmette::ByteView low_view{low.data(), low.size()};
                require(below < 0xFFFFFFF0u && palmette::RisingView::fits(size + 1, below, low_view, span_of(high), span_of(samples)),
                        "starts of another length than their number says");
                view.starts = palmette::RisingView(size + 1, below, low_view, span_of(high), span_of(samples));
            }
            views.push_back(view);
        }
        trie_ = palmette::TrieView({unigrams.data(), unigrams.size()}, std::move(views), quantize);
        if (table) {
            require(table->shape(0) > 0 && table->shape(1) == 8, "a table of no lines");
            table_ = palmette::TableView({reinterpret_cast<const palmette::TableView::Line*>(table->data()), table->shape(0)}, seed);
        }
    }
    NgramModel(const NgramModel&) = delete;

    palmette::NgramQuery query() const { return {words_, {unigrams_.data(), unigrams_.size()}, trie_, table_}; }
    const palmette::WordTable& words() const { return words_; }
    const palmette::TrieView& trie() const { return trie_; }
    int order() const { return trie_.order(); }

private:
    palmette::WordTable words_;
    Array<float> unigrams_;
    std::vector<NgramLevelArrays> arrays_;
    std::optional<NgramLines> lines_;
    palmette::TrieView trie_;
    palmette::TableView table_;
};
