// How often rules occur in a text: shared by all ways to extract them.
//
// A rule is a path in each of three tries: its source side, its target side, and its shape, which is the labels of its left side
// and of its nonterminals. A fourth trie has variants: the links of its words, and then the tree fragment that it comes from, which
// an occurrence may have in several ways. A piece of the text has tries of its own, which stay in the caches; pieces are then
// added up in their order, and equal rules are merged in a sort. So no rule is compared symbol by symbol, memory grows with the
// different rules and not with the text, and nothing depends on the number of threads.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/alignment/phrase_pairs.hpp"
#include "tools/alignment/phrase_trie.hpp"

namespace palmette {

enum RulePart { kRuleSource, kRuleTarget, kRuleShape, kRuleVariant, kRuleParts };

struct RuleRecord {
    std::array<std::uint32_t, kRuleParts> node{};
    std::uint32_t occurrences = 0, sentences = 0;  // sentences: of the rule, at one of its variants
    float lex_source = 0, lex_target = 0;          // logarithms
    double count = 0;                              // a sum of whole numbers or of shares
};

// The rules of some sentences.
class RulePiece {
public:
    std::array<PhraseTrie, kRuleParts> tries;

    void begin_sentence() { ++sentence_; }
    // An occurrence in the sentence at hand, and what it counts.
    void add(const std::array<std::uint32_t, kRuleParts>& node, double count, float lex_source, float lex_target);
    // Merges equal records; nothing is added after that.
    void finish();

    std::vector<RuleRecord> records;
    std::array<std::vector<std::uint32_t>, 2> side_sentences;  // [source, target][node]: sentences with a rule that has this side

private:
    std::uint32_t sentence_ = 0;
    std::array<std::vector<std::uint32_t>, 2> last_sentence_;
};

// All rules of a text.
struct RuleCounts {
    PairNodes nodes;                                     // of rules
    PhraseTrie shapes, variants;
    std::vector<std::uint32_t> shape, variant;           // nodes; of the variants, the commonest and of these the earliest
    std::vector<std::uint32_t> occurrences;
    std::vector<std::uint32_t> sentences;                // [rule][source side, target side, rule]: sentence pairs that have it
    std::vector<double> count;
    std::vector<float> lexical;                          // [rule][source, target]
};

// Extracts rules of pieces of sentences on threads: `of(begin, end, piece)` adds the rules of sentences begin … end − 1.
template <class Of>
RuleCounts count_rules(std::size_t n_sentences, int n_jobs, Of&& of);

// Adds up pieces.
class RuleSum {
public:
    explicit RuleSum(int n_jobs) : n_jobs_(n_jobs) {}
    void add(std::vector<RulePiece>&& pieces);
    RuleCounts finish() &&;

private:
    void merge();

    int n_jobs_;
    std::array<PhraseTrie, kRuleParts> tries_;
    std::array<std::vector<std::uint32_t>, 2> side_sentences_;
    std::vector<RuleRecord> records_;
    std::size_t merged_ = 0;  // how many records there were when they were last merged
};

}  // namespace palmette

#include "base/parallel.hpp"

namespace palmette {

template <class Of>
RuleCounts count_rules(std::size_t n_sentences, int n_jobs, Of&& of) {
    constexpr std::size_t kSentencesOfPiece = 256, kPiecesAtOnce = 16;  // neither depends on the threads
    RuleSum sum(n_jobs);
    const std::size_t n_pieces = (n_sentences + kSentencesOfPiece - 1) / kSentencesOfPiece;
    for (std::size_t first = 0; first < n_pieces; first += kPiecesAtOnce) {
        std::vector<RulePiece> pieces(std::min(kPiecesAtOnce, n_pieces - first));
        parallel(pieces.size(), n_jobs, [&](std::size_t k, std::size_t) {
            const std::size_t begin = (first + k) * kSentencesOfPiece;
            of(begin, std::min(n_sentences, begin + kSentencesOfPiece), pieces[k]);
            pieces[k].finish();
        });
        sum.add(std::move(pieces));
    }
    return std::move(sum).finish();
}

}  // namespace palmette
