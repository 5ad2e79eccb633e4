// What the target text so far means to the words after it: the history of the language model and the state of what is
// known of the text. States are kept once each and named by a number, and a step by a whole phrase is remembered, since
// the same phrase follows the same history under many coverages.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/stamped_map.hpp"
#include "tools/translation/search/constraint.hpp"
#include "tools/translation/search/options.hpp"

namespace palmette {

class TargetStates {
public:
    static constexpr std::uint32_t kBlocked = TargetConstraint::kBlocked;

    struct Step {
        float lm;            // natural logarithm
        std::uint32_t next;  // kBlocked: the text must not go on like this
    };

    void reset(const SearchModel& model, const SourceSentence& sentence, const SentenceOptions& options,
               const TargetConstraint& constraint);

    static constexpr std::uint32_t kStart = 0;
    // After the target phrase of an option.
    Step advance(std::uint32_t state, std::uint32_t target) {
        const std::uint32_t found = slots_.find_or_make(
            std::uint64_t{state} << 32 | target, [](std::uint32_t) { return true; }, [&] { return compute(state, target); });
        return steps_[found];
    }
    // At the end of the sentence.
    Step finish(std::uint32_t state) const;

    // Words of a text that is given which were reached so far.
    std::uint32_t constraint_state(std::uint32_t state) const { return constraints_[state]; }

private:
    std::uint32_t compute(std::uint32_t state, std::uint32_t target);
    std::uint32_t intern(const NgramState& state, std::uint32_t constraint);

    const SearchModel* model_ = nullptr;
    const SentenceOptions* options_ = nullptr;
    const TargetConstraint* constraint_ = nullptr;
    std::uint64_t age_ = 0;                           // of the targets
    std::vector<std::uint32_t> lm_words_, lm_start_;  // the words of all targets, as the language model numbers them
    std::vector<NgramState> histories_;
    std::vector<std::uint32_t> constraints_;
    std::vector<Step> steps_;
    StampedMap slots_, state_map_;
};

}  // namespace palmette
