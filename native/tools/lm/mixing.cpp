#include "tools/lm/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tools/lm/pruning.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;
constexpr u32 none = BackoffModel::none;

struct Child {
    u32 word, part, node;
};

}  // namespace

BackoffModel mix(const std::vector<MixturePart>& parts, WordTable& words) {
    words = WordTable();
    int order = 0;
    std::vector<Ids> number(parts.size());  // of a part's words among all words
    for (std::size_t i = 0; i < parts.size(); ++i) {
        order = std::max(order, parts[i].model->order());
        for (u32 w = 0; w < parts[i].words->size(); ++w) number[i].push_back(words.intern(parts[i].words->word(w)));
    }
    BackoffModel made;
    made.levels.resize(order);
    const u32 n_words = words.size();
    std::vector<Ids> nodes(parts.size(), Ids(n_words, none));           // of the level at hand in each part
    std::vector<std::vector<float>> probs(parts.size()), shorter;       // log p_i of the level at hand, and of the one below
    made.levels[0].probs.resize(n_words);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const BackoffModel& model = *parts[i].model;
        const float share = model.levels[0].probs[WordTable::unknown] -
                            std::log10(static_cast<float>(n_words - parts[i].words->size() + 1));
        probs[i].assign(n_words, share);
        for (u32 w = 0; w < parts[i].words->size(); ++w) {
            nodes[i][number[i][w]] = w;
            if (w != WordTable::unknown) probs[i][number[i][w]] = model.levels[0].probs[w];
        }
    }
    const auto combine = [&](std::size_t node) {
        double sum = 0;
        for (std::size_t i = 0; i < parts.size(); ++i)
            if (parts[i].weight > 0) sum += parts[i].weight * std::pow(10.0, probs[i][node]);
        return std::min(0.0f, static_cast<float>(std::log10(sum)));
    };
    for (u32 w = 0; w < n_words; ++w) made.levels[0].probs[w] = combine(w);
    for (int level = 1; level < order; ++level) {
        NgramLevel &above = made.levels[level - 1], &here = made.levels[level];
        const u32 parents = made.size(level - 1);
        above.backoffs.assign(parents, 0.0f);
        shorter = std::move(probs);
        probs.assign(parts.size(), {});
        std::vector<Ids> next(parts.size());
        std::vector<Child> children;
        for (u32 h = 0; h < parents; ++h) {
            above.starts.push_back(static_cast<u32>(here.words.size()));
            children.clear();
            for (u32 i = 0; i < parts.size(); ++i) {
                const BackoffModel& model = *parts[i].model;
                if (nodes[i][h] == none || level >= model.order()) continue;
                const Ids& starts = model.levels[level - 1].starts;
                for (u32 c = starts[nodes[i][h]]; c < starts[nodes[i][h] + 1]; ++c)
                    children.push_back({number[i][model.levels[level].words[c]], i, c});
            }
            std::sort(children.begin(), children.end(), [](const Child& a, const Child& b) {
                return a.word != b.word ? a.word < b.word : a.part < b.part;
            });
            for (std::size_t c = 0; c < children.size();) {
                const u32 word = children[c].word;
                // The place of the suffix among the n-grams of the level above; they were made before.
                u32 suffix = word;
                if (level > 1) suffix = made.child(level - 2, above.suffixes[h], word);
                here.words.push_back(word);
                here.suffixes.push_back(suffix);
                for (u32 i = 0; i < parts.size(); ++i) {
                    const BackoffModel& model = *parts[i].model;
                    if (c < children.size() && children[c].word == word && children[c].part == i) {
                        next[i].push_back(children[c].node);
                        const bool whole = word != WordTable::unknown || n_words == parts[i].words->size();
                        const float split = whole ? 0.0f : std::log10(static_cast<float>(n_words - parts[i].words->size() + 1));
                        probs[i].push_back(model.levels[level].probs[children[c].node] - split);
                        ++c;
                        continue;
                    }
                    next[i].push_back(none);
                    const u32 node = nodes[i][h];
                    const float backoff = node != none && level < model.order() ? model.levels[level - 1].backoffs[node] : 0.0f;
                    probs[i].push_back(backoff + shorter[i][suffix]);
                }
                here.probs.push_back(combine(here.words.size() - 1));
            }
        }
        above.starts.push_back(static_cast<u32>(here.words.size()));
        nodes.swap(next);
    }
    renormalise(made);
    return made;
}

}  // namespace palmette
