#include "tools/lm/pruning.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/word_table.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;

const double kLog10 = std::log(10.0);
double linear(float log10) { return std::exp(kLog10 * log10); }

// What a history leaves to words that it has not, of its own probability and of that of the shorter history.
struct Rest {
    double own = 1, shorter = 1;
};

Rest rest_of(const BackoffModel& model, int level, u32 h) {
    Rest rest;
    const NgramLevel& next = model.levels[level + 1];
    for (u32 c = model.levels[level].starts[h]; c < model.levels[level].starts[h + 1]; ++c) {
        rest.own -= linear(next.probs[c]);
        rest.shorter -= linear(model.levels[level].probs[next.suffixes[c]]);
    }
    return rest;
}

}  // namespace

void renormalise(BackoffModel& model) {
    for (int level = 0; level + 1 < model.order(); ++level) {
        NgramLevel& here = model.levels[level];
        for (u32 h = 0; h < model.size(level); ++h) {
            if (here.starts[h] == here.starts[h + 1]) {
                here.backoffs[h] = 0;
                continue;
            }
            const auto [own, shorter] = rest_of(model, level, h);
            if (shorter < 1e-7)
                here.backoffs[h] = own < 1e-7 ? 0.0f : here.backoffs[h];
            else
                here.backoffs[h] = static_cast<float>(std::log10(std::max(own, 0.0) / shorter));
        }
    }
}

void prune(BackoffModel& model, double threshold) {
    if (!link_suffixes(model)) throw std::invalid_argument("a model that lacks the end of one of its n-grams");
    const int order = model.order();
    // The probability of each n-gram as such; of <s>, that of </s>: sentences begin as often as they end.
    std::vector<std::vector<double>> joint(order);
    for (int level = 0; level < order; ++level) {
        joint[level].resize(model.size(level));
        if (!level) {
            for (u32 w = 0; w < model.size(0); ++w) joint[0][w] = linear(model.levels[0].probs[w]);
            joint[0][WordTable::begin] = linear(model.levels[0].probs[WordTable::end]);
            continue;
        }
        const NgramLevel& above = model.levels[level - 1];
        for (u32 h = 0; h < model.size(level - 1); ++h)
            for (u32 c = above.starts[h]; c < above.starts[h + 1]; ++c)
                joint[level][c] = joint[level - 1][h] * linear(model.levels[level].probs[c]);
    }
    std::vector<std::vector<std::uint8_t>> keep(order);
    for (int level = 0; level < order; ++level) keep[level].assign(model.size(level), level == 0);
    for (int level = order; --level > 0;) {
        const NgramLevel &above = model.levels[level - 1], &here = model.levels[level];
        for (u32 h = 0; h < model.size(level - 1); ++h) {
            const u32 first = above.starts[h], last = above.starts[h + 1];
            if (first == last) continue;
            const auto [own, shorter] = rest_of(model, level - 1, h);
            const double old_backoff = kLog10 * above.backoffs[h];
            bool any = false;
            for (u32 c = first; c < last; ++c) {
                if (!keep[level][c]) {
                    const double p = linear(here.probs[c]), q = linear(above.probs[here.suffixes[c]]);
                    const double backoff = std::log((std::max(own, 0.0) + p) / (std::max(shorter, 0.0) + q));
                    double change = p * (std::log(q) + backoff - std::log(p));
                    if (own > 0) change += own * (backoff - old_backoff);
                    const double rise = std::expm1(-joint[level - 1][h] * change);
                    keep[level][c] = !(rise < threshold);
                }
                if (!keep[level][c]) continue;
                any = true;
                if (level > 1) keep[level - 1][here.suffixes[c]] = 1;
            }
            if (any) keep[level - 1][h] = 1;
        }
    }
    compact(model, keep);
    renormalise(model);
}

}  // namespace palmette
