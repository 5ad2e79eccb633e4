// An aligned text, as rules are extracted from it.
#pragma once
#include <cstdint>
#include <span>

#include "tools/alignment/phrase_pairs.hpp"

namespace palmette {

struct AlignedText {
    Side source, target;
    const SortedLinks& links;
    std::span<const double> source_logs, target_logs;  // the logarithm of the lexical weight of each word
    std::uint32_t n_source_words, n_target_words;      // sizes of the vocabularies: symbols after them are nonterminals

    bool linked(std::size_t source_word) const { return links.of_word[source_word] < links.of_word[source_word + 1]; }
};

}  // namespace palmette
