#include "tools/translation/search/target_states.hpp"

namespace palmette {

void TargetStates::reset(const SearchModel& model, const SourceSentence& sentence, const SentenceOptions& options,
                         const TargetConstraint& constraint) {
    model_ = &model;
    options_ = &options;
    constraint_ = &constraint;
    if (age_ != options.age()) {
        age_ = options.age();
        lm_words_.clear();
        lm_start_.assign(1, 0);
    }
    if (model.lm)
        for (std::uint32_t target = static_cast<std::uint32_t>(lm_start_.size() - 1); target < options.n_targets(); ++target) {
            for (const std::uint32_t word : options.target(target)) lm_words_.push_back(lm_id(model, sentence, word));
            lm_start_.push_back(static_cast<std::uint32_t>(lm_words_.size()));
        }
    histories_.clear();
    constraints_.clear();
    steps_.clear();
    slots_.clear();
    state_map_.clear();
    intern(model.lm ? model.lm->begin() : NgramState(), 0);
}

std::uint32_t TargetStates::intern(const NgramState& state, std::uint32_t constraint) {
    std::uint64_t key = constraint;
    for (int k = 0; k < state.length; ++k) key = combine(key, state.words[k]);
    return state_map_.find_or_make(
        key, [&](std::uint32_t found) { return constraints_[found] == constraint && histories_[found] == state; },
        [&] {
            histories_.push_back(state);
            constraints_.push_back(constraint);
            return static_cast<std::uint32_t>(histories_.size() - 1);
        });
}

std::uint32_t TargetStates::compute(std::uint32_t state, std::uint32_t target) {
    std::uint32_t place = constraints_[state];
    if (!constraint_->is_free())
        for (const std::uint32_t word : options_->target(target)) {
            place = constraint_->step(place, word);
            if (place == kBlocked) break;
        }
    if (place == kBlocked) {
        steps_.push_back({0, kBlocked});
    } else if (!model_->lm) {
        steps_.push_back({0, intern(NgramState(), place)});
    } else {
        NgramState history = histories_[state], next;
        double sum = 0;
        const std::uint32_t first = lm_start_[target], last = lm_start_[target + 1];
        for (std::uint32_t k = first; k < last; ++k) {
            sum += lm_score(*model_, history, lm_words_[k], next);
            history = next;
            if (next.length > k - first + 1 || k + 1 == last) continue;
            // The history lies inside the phrase: all that follows does not depend on what is before it.
            sum += options_->lm_tail(target, k - first + 1);
            history = options_->last_history(target);
            break;
        }
        steps_.push_back({static_cast<float>(sum), intern(history, place)});
    }
    return static_cast<std::uint32_t>(steps_.size() - 1);
}

TargetStates::Step TargetStates::finish(std::uint32_t state) const {
    if (!constraint_->may_end(constraints_[state])) return {0, kBlocked};
    if (!model_->lm) return {0, state};
    NgramState next;
    return {static_cast<float>(lm_score(*model_, histories_[state], WordTable::end, next)), state};
}

}  // namespace palmette
