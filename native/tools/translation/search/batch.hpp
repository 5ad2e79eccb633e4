// Many sentences at once, over threads: the best translations, the k best, or the graphs.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/translation/search/graph.hpp"

namespace palmette {

// Translations of several sentences in flat arrays. Those of sentence s are sentence_start[s] …; words, phrases and Φ of
// translation t likewise. A sentence without any has none; `prefix` says how much of a given text was reached.
struct TranslationBatch {
    std::vector<std::int64_t> sentence_start{0}, word_start{0}, phrase_start{0};
    std::vector<std::uint32_t> words;
    std::vector<std::uint32_t> begin, end, pair, n_words;  // of each phrase; n_words: of its target
    std::vector<std::int64_t> link_start{0};               // of each phrase: its links, source word << 8 | target word
    std::vector<std::uint16_t> links;
    std::vector<double> score, features;
    std::vector<std::uint32_t> prefix;   // of each sentence
    std::vector<std::uint8_t> exact;     // of each sentence

    void append(const TranslationBatch& other);
    // Fills the links: a copied word is linked to its copy, and all words of a given translation to all of its span.
    void add_links(const PhraseTableView& table);
};

struct KBest {
    std::int64_t k = 1;
    bool distinct = true;      // whether no two translations have the same words
    std::int64_t factor = 20;  // derivations that are looked at for each distinct one
};

TranslationBatch translate(const SearchModel& model, std::span<const SourceSentence> sentences, int n_jobs);
TranslationBatch translate_kbest(const SearchModel& model, std::span<const SourceSentence> sentences, const KBest& wanted,
                                 int n_jobs);
std::vector<SearchGraph> search_graphs(const SearchModel& model, std::span<const SourceSentence> sentences, int n_jobs);

// The k best of one graph under other weights than those it was made with.
// Links are left out.
TranslationBatch kbest_of(const SearchGraph& graph, std::span<const double> weights, const KBest& wanted);

}  // namespace palmette
