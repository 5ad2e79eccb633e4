// What a piece of target text means to the language model: which of its words wait for words before it, and its end.
//
// The left state holds the first words of the text as long as the n-grams found reach back to its beginning. It is open
// if that is so for all words, and closed once an n-gram ended inside the text: the words after it are certain, but for
// backoffs of longer histories that the first of them may get. The right state is the history of words to come. States are
// kept once each and named by a number, and joining two texts is remembered. CSC 448, §17.1; Li & Khudanpur 2008.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/lm/query.hpp"

namespace palmette {

struct TextState {
    std::uint32_t left = 0, right = 0;
    bool operator==(const TextState&) const = default;
};

class TextStates {
public:
    struct Step {
        float lm = 0;  // what became certain, natural logarithm, beyond what the two texts had
        TextState state;
    };

    void reset(const NgramQuery* lm);

    // The text without words, and the beginning of a sentence.
    static constexpr TextState kEmpty{};
    TextState begin() const { return begin_; }

    // A text with some words behind it; `number` names the words, which are those of the language model.
    Step append(TextState text, std::uint32_t number, std::span<const std::uint32_t> words) {
        if (!lm_) return {};
        const std::uint32_t found = appended_.find_or_make(
            std::uint64_t{context(text)} << 32 | number, [](std::uint32_t) { return true; }, [&] { return compute(text, words, nullptr); });
        return taken(text, steps_[found]);
    }
    // Two texts, one behind the other.
    Step join(TextState text, TextState next) {
        if (!lm_) return {};
        if (text == kEmpty) return {0, next};
        const std::uint32_t found = joined_.find_or_make(
            std::uint64_t{context(text)} << 32 | next.left, [](std::uint32_t) { return true; },
            [&] { return compute(text, words_of(lefts_[next.left]), &lefts_[next.left]); });
        Step made = taken(text, steps_[found]);
        if (lefts_[next.left].closed) made.state.right = next.right;
        return made;
    }
    // ln p(</s>) after a text that begins a sentence.
    double finish(TextState text) const;

private:
    struct Left {
        std::uint32_t first = 0, n = 0;  // words
        bool closed = false;
        float estimate = 0;              // of these words, as if nothing came before them
    };

    std::span<const std::uint32_t> words_of(const Left& left) const { return {words_.data() + left.first, left.n}; }
    // All that matters of a text to what follows: an open one is its words.
    std::uint32_t context(TextState text) const {
        return lefts_[text.left].closed ? text.right : text.left | 0x80000000u;
    }
    Step taken(TextState text, Step step) const {
        if (lefts_[text.left].closed) step.state.left = text.left;
        return step;
    }
    std::uint32_t compute(TextState text, std::span<const std::uint32_t> words, const Left* next);
    std::uint32_t left_of(std::span<const std::uint32_t> words, bool closed);
    std::uint32_t right_of(const NgramState& state);

    const NgramQuery* lm_ = nullptr;
    TextState begin_;
    std::vector<std::uint32_t> words_;
    std::vector<Left> lefts_;
    std::vector<NgramState> rights_;
    std::vector<Step> steps_;
    StampedMap appended_, joined_, left_map_, right_map_;
};

}  // namespace palmette
