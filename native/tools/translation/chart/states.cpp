#include "tools/translation/chart/states.hpp"

#include <algorithm>

#include "base/hashing.hpp"
#include "tools/translation/search/model.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;

}  // namespace

void TextStates::reset(const NgramQuery* lm) {
    lm_ = lm;
    words_.clear();
    lefts_.clear();
    rights_.clear();
    steps_.clear();
    appended_.clear();
    joined_.clear();
    left_map_.clear();
    right_map_.clear();
    if (!lm) return;
    left_of({}, false);
    right_of(NgramState());
    begin_ = {left_of({}, true), right_of(lm->begin())};
}

u32 TextStates::left_of(std::span<const u32> words, bool closed) {
    std::uint64_t key = closed;
    for (const u32 word : words) key = combine(key, word);
    return left_map_.find_or_make(
        key, [&](u32 found) { return lefts_[found].closed == closed && std::ranges::equal(words_of(lefts_[found]), words); },
        [&] {
            Left made{static_cast<u32>(words_.size()), static_cast<u32>(words.size()), closed, 0};
            NgramState state, next;
            double sum = 0;
            for (const u32 word : words) {
                sum += lm_score(*lm_, state, word, next);
                state = next;
            }
            made.estimate = static_cast<float>(sum);
            words_.insert(words_.end(), words.begin(), words.end());
            lefts_.push_back(made);
            return static_cast<u32>(lefts_.size() - 1);
        });
}

u32 TextStates::right_of(const NgramState& state) {
    std::uint64_t key = state.length;
    for (int k = 0; k < state.length; ++k) key = combine(key, state.words[k]);
    return right_map_.find_or_make(
        key, [&](u32 found) { return rights_[found] == state; },
        [&] {
            rights_.push_back(state);
            return static_cast<u32>(rights_.size() - 1);
        });
}

u32 TextStates::compute(TextState text, std::span<const u32> words, const Left* next) {
    const Left left = lefts_[text.left];
    const bool next_closed = next && next->closed;
    const double estimate = next ? next->estimate : 0.0f;
    const u32 most = static_cast<u32>(lm_->order() - 1);
    std::array<u32, kMaxOrder> open;  // the words of the left state, while it is open
    std::array<u32, kMaxOrder> given; // the words to add may move when states are made
    bool closed = left.closed;
    u32 n = 0;
    if (!closed) {
        n = left.n;
        std::copy_n(words_.begin() + left.first, n, open.begin());
    }
    if (next) {
        std::ranges::copy(words, given.begin());
        words = {given.data(), words.size()};
    }
    NgramState history = rights_[text.right], after;
    double sum = 0;
    for (const u32 word : words) {
        std::uint8_t length;
        sum += lm_score(*lm_, history, word, after, length);
        history = after;
        if (closed) continue;
        if (length == n + 1 && n < most)
            open[n++] = word;
        else
            closed = true;
    }
    if (next_closed) {
        // The first certain word of the next text has these backoffs, too: its history became longer.
        for (std::size_t k = words.size(); k < history.length; ++k) sum += std::numbers::ln10 * history.backoffs[k];
        closed = true;
    }
    Step made;
    made.lm = static_cast<float>(sum - estimate);
    made.state.left = left.closed ? text.left : left_of({open.data(), n}, closed);
    made.state.right = next_closed ? 0 : right_of(history);
    steps_.push_back(made);
    return static_cast<u32>(steps_.size() - 1);
}

double TextStates::finish(TextState text) const {
    if (!lm_) return 0;
    NgramState next;
    return lm_score(*lm_, rights_[text.right], WordTable::end, next);
}

}  // namespace palmette
