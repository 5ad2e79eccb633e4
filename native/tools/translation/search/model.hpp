// What a search by phrases works with: the phrase table, the language model, the weights and the limits.
//
// The score of a derivation is w · Φ, in natural logarithms. Φ has these values, in this order:
//
//     lm, distortion, words, phrases, unknown, the columns of the table, the columns of orientation
#pragma once
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include "tools/lm/query.hpp"
#include "tools/translation/phrase_table.hpp"

namespace palmette {

inline constexpr std::uint32_t kNoWord = 0xFFFFFFFFu;

struct SearchLimits {
    std::uint32_t stack = 100;            // hypotheses of as many covered words; 0: all
    double threshold = std::numeric_limits<double>::infinity();  // below the best of a stack
    std::uint32_t pop_limit = 0;          // candidates for a stack, best first (cube pruning); 0: all
    std::int64_t distortion_limit = -1;   // words of a jump; −1: any
    std::uint32_t table_limit = 0;        // translations of a source phrase; 0: all
    std::uint32_t max_phrase = 0;         // words of a source phrase; 0: any
    bool hierarchical = false;            // whether orientations are those of blocks
    std::uint64_t most = 50'000'000;      // candidates of a sentence, before the search is refused
};

// Where the values of Φ are.
struct FeatureLayout {
    static constexpr int lm = 0, distortion = 1, words = 2, phrases = 3, unknown = 4, columns = 5;
    int n_columns = 0, n_reordering = 0;
    int from = -1, to = -1;  // the first of three columns of orientation, counted among these; −1: there are none

    int reordering() const { return columns + n_columns; }
    int size() const { return reordering() + n_reordering; }
};

struct SearchModel {
    PhraseTableView table;
    const NgramQuery* lm = nullptr;          // may be absent
    std::span<const std::uint32_t> lm_ids;   // of the target words
    FeatureLayout layout;
    std::vector<double> weights;
    SearchLimits limits;
};

// A translation of some source words that is given with the sentence.
struct GivenPhrase {
    std::uint32_t begin, end;
    std::vector<std::uint32_t> words;
    bool exclusive;
};

struct SourceForest;

// One sentence. Target words beyond those of the table are numbered on; `more_lm_ids` are theirs.
struct SourceSentence {
    std::span<const std::uint32_t> words;    // by the table; kNoWord: not there
    std::span<const std::uint32_t> copies;   // the target word for each, should it be unknown; kNoWord: none
    std::span<const std::uint8_t> walls;     // 1: no jump over this word; may be empty
    std::span<const std::uint32_t> more_lm_ids;
    std::vector<GivenPhrase> given;
    std::vector<std::vector<std::uint32_t>> forbidden;
    std::vector<std::uint32_t> target;
    bool forced = false;                     // whether the translation must be `target`
    const SourceForest* forest = nullptr;    // its parses, for a table of rules over trees

    std::uint32_t size() const { return static_cast<std::uint32_t>(words.size()); }
};

// The number that the language model gives to a target word.
template <class Model>
std::uint32_t lm_id(const Model& model, const SourceSentence& sentence, std::uint32_t word) {
    return word < model.lm_ids.size() ? model.lm_ids[word] : sentence.more_lm_ids[word - model.lm_ids.size()];
}

// ln p(word | history), and the length of the n-gram found. A closed vocabulary gives unknown words nothing; as in KenLM,
// that counts as 10^−100.
inline double lm_score(const NgramQuery& lm, const NgramState& history, std::uint32_t word, NgramState& next, std::uint8_t& length) {
    const WordScore score = lm.score(history, word, next);
    const float found = score.log_prob;
    length = score.length;
    return std::numbers::ln10 * (found < 0 ? (found > -100 ? found : -100.0f) : found >= 0 ? 0.0f : -100.0f);
}
inline double lm_score(const NgramQuery& lm, const NgramState& history, std::uint32_t word, NgramState& next) {
    std::uint8_t length;
    return lm_score(lm, history, word, next, length);
}
inline double lm_score(const SearchModel& model, const NgramState& history, std::uint32_t word, NgramState& next) {
    return lm_score(*model.lm, history, word, next);
}

}  // namespace palmette
