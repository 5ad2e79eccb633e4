#include "tools/lm/model.hpp"

#include <algorithm>

namespace palmette {

using u32 = std::uint32_t;

u32 BackoffModel::child(int level, u32 node, u32 word) const {
    const Ids &starts = levels[level].starts, &words = levels[level + 1].words;
    const auto last = words.begin() + starts[node + 1];
    const auto found = std::lower_bound(words.begin() + starts[node], last, word);
    return found != last && *found == word ? static_cast<u32>(found - words.begin()) : none;
}

void compact(BackoffModel& model, const std::vector<std::vector<std::uint8_t>>& keep) {
    Ids number_below;
    for (int level = 0; level < model.order(); ++level) {
        NgramLevel& here = model.levels[level];
        const u32 n = model.size(level);
        const bool last = level + 1 == model.order();
        Ids number(n);
        u32 kept = 0, children = 0;
        for (u32 i = 0; i < n; ++i) {
            u32 own = 0;
            if (!last)
                for (u32 c = here.starts[i]; c < here.starts[i + 1]; ++c) own += keep[level + 1][c];
            number[i] = kept;
            if (!keep[level][i]) continue;
            if (level) {
                here.words[kept] = here.words[i];
                if (!here.suffixes.empty()) here.suffixes[kept] = number_below[here.suffixes[i]];
            }
            here.probs[kept] = here.probs[i];
            if (!last) {
                here.backoffs[kept] = here.backoffs[i];
                here.starts[kept] = children;  // kept ≤ i, and the starts up to i have been read
            }
            children += own;
            ++kept;
        }
        if (level) {
            here.words.resize(kept);
            if (!here.suffixes.empty()) here.suffixes.resize(kept);
        }
        here.probs.resize(kept);
        if (!last) {
            here.backoffs.resize(kept);
            here.starts.resize(kept + 1);
            here.starts[kept] = children;
        }
        number_below.swap(number);
    }
}

bool link_suffixes(BackoffModel& model) {
    for (int level = 1; level < model.order(); ++level) {
        NgramLevel& here = model.levels[level];
        if (level == 1) {
            here.suffixes = here.words;
            continue;
        }
        here.suffixes.resize(here.words.size());
        const NgramLevel& above = model.levels[level - 1];
        for (u32 node = 0; node < model.size(level - 1); ++node)
            for (u32 c = above.starts[node]; c < above.starts[node + 1]; ++c)
                if ((here.suffixes[c] = model.child(level - 2, above.suffixes[node], here.words[c])) == model.none)
                    return false;
    }
    return true;
}

}  // namespace palmette
