#include "tools/constituency/lexicalized/model.hpp"

#include <algorithm>
#include <set>

#include "base/interrupt.hpp"

namespace palmette {

std::array<BackoffChain, 3> coarse_chains() {
    return {BackoffChain{{vX}, {vP}}, BackoffChain{{vX}, {vP1, vMade}, {vP}}, BackoffChain{{vX}, {vP}}};
}

void LexicalizedModel::train(const FlatTrees& trees, const TokenTypes& types, const std::array<std::vector<BackoffChain>, kDecisions>& chains, const BackoffChain& look_chain, int32_t n_words, int32_t rare) {
    std::vector<float> words(n_words, 0.0f), tags(labels.size(), 0.0f);
    double tokens = 0.0;
    for (size_t v = 0; v < trees.label.size(); ++v) {
        if (trees.children[v] > 0) continue;
        words[types.word[trees.word[v]]] += 1.0f;
        tags[trees.label[v]] += 1.0f;
        tokens += 1.0;
    }
    BackoffCounter look_counter(look_chain), known_counter(BackoffChain{{0}});
    for (size_t v = 0; v < trees.label.size(); ++v) {
        if (trees.children[v] > 0) continue;
        const int32_t word = types.word[trees.word[v]];
        known_counter.add(&word, trees.label[v]);
        if (words[word] <= static_cast<float>(rare)) look_counter.add(types.features_of(trees.word[v]), trees.label[v]);
    }
    looks = look_counter.finish();
    known = known_counter.finish();
    tag_probability.resize(labels.size());
    word_probability.resize(n_words);
    for (int32_t i = 0; i < labels.size(); ++i) tag_probability[i] = static_cast<float>(std::max(0.5, double(tags[i])) / tokens);
    for (int32_t i = 0; i < n_words; ++i) word_probability[i] = static_cast<float>(std::max(1.0, double(words[i])) / tokens);
    std::array<std::vector<BackoffCounter>, kDecisions> counters;
    for (int d = 0; d < kDecisions; ++d)
        for (const BackoffChain& chain : chains[d]) counters[d].emplace_back(chain);
    const auto [head_chain, side_chain, pair_chain] = coarse_chains();
    std::vector<BackoffCounter> coarse_counters{BackoffCounter(head_chain), BackoffCounter(side_chain), BackoffCounter(side_chain)};
    std::vector<BackoffCounter> pair_counters(2, BackoffCounter(pair_chain));
    std::set<std::array<int32_t, 2>> pair_set;
    std::set<std::array<int32_t, 4>> last_set;
    auto visit = [&](int decision, Variables v, int32_t outcome, size_t) {
        types.number_words(v);
        for (BackoffCounter& counter : counters[decision]) counter.add(v.data(), decision >= kWord ? types.word[outcome] : outcome);
        if (decision == kHead) {
            coarse_counters[kHead].add(v.data(), outcome == labels.preterminal() ? v[vT] : outcome);
            pair_set.insert({v[vX], v[vP]});
        } else if (decision <= kRight) {
            coarse_counters[decision].add(v.data(), outcome);
            pair_counters[decision - kLeft].add(v.data(), outcome);
            last_set.insert({decision - kLeft, v[vX], v[vP1], v[vMade]});
        }
    };
    for (size_t i = 0; i < trees.size(); ++i) {
        check_interrupt();
        TreeWalk walk(labels, trees, i, visit);
    }
    for (int d = 0; d < kDecisions; ++d) {
        decisions[d].clear();
        for (BackoffCounter& counter : counters[d]) decisions[d].push_back(counter.finish());
    }
    for (int d = 0; d < 3; ++d) coarse[d] = coarse_counters[d].finish();
    for (int d = 0; d < 2; ++d) coarse_pairs[d] = pair_counters[d].finish();
    pairs.assign(pair_set.begin(), pair_set.end());
    lasts.assign(last_set.begin(), last_set.end());
}

void LexicalizedModel::tags_of(const TokenTypes& types, int32_t type, float* p) const {
    const int32_t n = labels.size();
    for (int32_t i = 0; i < n; ++i) p[i] = labels.is_tag[i] ? tag_probability[i] : 0.0f;
    looks.distribution(types.features_of(type), p, n);
    const int32_t word = types.word[type];
    if (word >= 0) known.distribution(&word, p, n);
}

void LexicalizedModel::distribution(int decision, const Variables& v, float* p) const {
    const int32_t n = n_outcomes(decision);
    const auto& chains = decisions[decision];
    std::fill(p, p + n, 1.0f / static_cast<float>(n));
    if (chains.size() == 1) return chains[0].distribution(v.data(), p, n);
    std::vector<float> one(n), sum(n, 0.0f);
    for (const Backoff& chain : chains) {
        std::copy(p, p + n, one.begin());
        chain.distribution(v.data(), one.data(), n);
        for (int32_t o = 0; o < n; ++o) sum[o] += one[o];
    }
    const float share = 1.0f / static_cast<float>(chains.size());
    for (int32_t o = 0; o < n; ++o) p[o] = sum[o] * share;
}

double LexicalizedModel::mean(int decision, const Variables& v, int32_t outcome, double base) const {
    double sum = 0.0;
    for (const Backoff& chain : decisions[decision]) sum += chain.probability(v.data(), outcome, base);
    return sum / static_cast<double>(decisions[decision].size());
}

double LexicalizedModel::probability(int decision, const Variables& v, int32_t outcome) const {
    return mean(decision, v, outcome, 1.0 / n_outcomes(decision));
}

double LexicalizedModel::word_ratio(int decision, const Variables& v, int32_t word, double tag_given_word) const {
    const double base = tag_given_word / tag_probability[v[vTY]];
    if (word < 0) return mean(decision, v, -1, base);
    const double w = word_probability[word];
    return mean(decision, v, word, base * w) / w;
}

std::vector<Backoff*> LexicalizedModel::all() {
    std::vector<Backoff*> found;
    for (auto& chains : decisions)
        for (Backoff& chain : chains) found.push_back(&chain);
    for (Backoff* one : {&looks, &known, &coarse[0], &coarse[1], &coarse[2], &coarse_pairs[0], &coarse_pairs[1]}) found.push_back(one);
    return found;
}

}  // namespace palmette
