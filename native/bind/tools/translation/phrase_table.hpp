// A phrase table over arrays that Python holds.
#pragma once
#include <cstdint>
#include <string_view>

#include "base/word_table.hpp"
#include "bind/bind.hpp"
#include "tools/translation/phrase_table.hpp"

using Table = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct BoundPhraseTable {
    palmette::WordTable source_words, target_words;
    Array<std::uint32_t> child_begin, child_word, pair_begin, pair_target, target_begin, target_word_ids;
    Table scores, reordering;
    Array<std::uint32_t> link_begin;
    Array<std::uint16_t> links;
    palmette::PhraseTableView view;  // of these arrays

    // The number of a source word, or PhraseTableView::none.
    std::uint32_t source_id(std::string_view word) const {
        const std::uint32_t id = source_words.find(word);
        const bool known = id != 0 || (source_words.size() && source_words.word(0) == word);
        return known ? id : palmette::PhraseTableView::none;
    }
};
