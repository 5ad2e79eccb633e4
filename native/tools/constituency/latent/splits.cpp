// The two moves of split-merge training: every substate in two, and the less useful halves together again. And what travels
// between trainers that share the trees out: weights one way, counts the other.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/parallel.hpp"
#include "tools/constituency/latent/training.hpp"

namespace palmette {
namespace {

// Numbers between 1 - noise and 1 + noise, the same on every machine.
class Noise {
  public:
    Noise(float amount, std::uint64_t seed) : amount_(amount), state_(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {}
    float operator()() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        z ^= z >> 31;
        return 1 + amount_ * (static_cast<float>(z >> 40) * 0x1p-23f - 1);
    }

  private:
    float amount_;
    std::uint64_t state_;
};

}  // namespace

void LatentTrainer::split(float noise, std::uint64_t seed) {
    const LatentGrammar old = grammar_;
    const LatentLayout& from = old.layout;
    std::vector<std::int32_t> twice = from.substates;
    for (std::int32_t& n : twice) n *= 2;
    grammar_ = LatentGrammar(rules_, twice);
    const LatentLayout& to = grammar_.layout;
    Noise draw(noise, seed);
    for (std::size_t rule = 0; rule < rules_.n_binary(); ++rule) {
        const int n_p = from.substates[rules_.parent[rule]], n_l = from.substates[rules_.left[rule]];
        const int n_r = from.substates[rules_.right[rule]];
        const float* w = old.binary.data() + from.binary[rule];
        float* v = grammar_.binary.data() + to.binary[rule];
        for (int p = 0; p < 2 * n_p; ++p)
            for (int l = 0; l < 2 * n_l; ++l, v += padded(2 * n_r))
                for (int r = 0; r < 2 * n_r; ++r)
                    v[r] = 0.25f * draw() * w[(static_cast<std::size_t>(p / 2) * n_l + l / 2) * padded(n_r) + r / 2];
    }
    for (std::size_t rule = 0; rule < rules_.n_unary(); ++rule) {
        const int n_p = from.substates[rules_.upper[rule]], n_r = from.substates[rules_.lower[rule]];
        const float* w = old.unary.data() + from.unary[rule];
        float* v = grammar_.unary.data() + to.unary[rule];
        for (int p = 0; p < 2 * n_p; ++p, v += padded(2 * n_r))
            for (int r = 0; r < 2 * n_r; ++r) v[r] = 0.5f * draw() * w[p / 2 * padded(n_r) + r / 2];
    }
    const LatentLexicon words = lexicon_;
    lexicon_.lay_out(to);
    for (int a = 0; a < rules_.n_symbols; ++a)
        for (int x = 0; x < twice[a]; ++x) {
            grammar_.same[to.row[a] + x] = old.same[from.row[a] + x / 2];
            grammar_.root[to.row[a] + x] = 0.5f * draw() * old.root[from.row[a] + x / 2];
            lexicon_.prior[to.row[a] + x] = 0.5f * words.prior[from.row[a] + x / 2];
        }
    for (std::size_t e = 0; e < lexicon_.tag.size(); ++e)
        for (int x = 0; x < twice[lexicon_.tag[e]]; ++x)
            lexicon_.counts[lexicon_.place[e] + x] = 0.5f * draw() * words.counts[words.place[e] + x / 2];
    lay_out();
}

// At one node the pair is worth in(1) out(1) + in(2) out(2); as one substate it would be worth
// (p1 in(1) + p2 in(2)) (out(1) + out(2)), where p1 and p2 are their relative frequencies.
std::vector<double> LatentTrainer::merge_losses(int n_jobs) {
    const LatentLayout& layout = grammar_.layout;
    std::vector<double> losses(layout.width());
    parallel(rules_.n_symbols, n_jobs, [&](std::size_t symbol, std::size_t) {
        const std::size_t row = layout.row[symbol];
        for (int pair = 0; 2 * pair + 1 < layout.substates[symbol]; ++pair) {
            const double m1 = mass_[row + 2 * pair], m2 = mass_[row + 2 * pair + 1];
            if (m1 + m2 <= 0) continue;
            const double p1 = m1 / (m1 + m2), p2 = m2 / (m1 + m2);
            double loss = 0;
            for (std::int64_t i = symbol_begin_[symbol]; i < symbol_begin_[symbol + 1]; ++i) {
                const std::size_t at = node_place_[symbol_nodes_[i]] + 2 * pair;
                const double in1 = in_[at], in2 = in_[at + 1], out1 = out_[at], out2 = out_[at + 1];
                const double changed = 1 + (p1 * in1 + p2 * in2) * (out1 + out2) - in1 * out1 - in2 * out2;
                loss -= std::log(std::max(changed, 1e-10));
            }
            losses[row + pair] = loss;
        }
    });
    return losses;
}

std::vector<std::int32_t> LatentTrainer::merge(std::span<const std::uint8_t> merged) {
    const LatentGrammar old = grammar_;
    const LatentLayout& from = old.layout;
    if (merged.size() != from.width()) throw std::invalid_argument("merging needs one flag for every pair, by row");
    std::vector<std::int32_t> to_new(from.width()), fewer(rules_.n_symbols);
    for (int a = 0; a < rules_.n_symbols; ++a)
        for (int x = 0; x < from.substates[a]; ++x) {
            const bool joins = x % 2 == 1 && merged[from.row[a] + x / 2];
            to_new[from.row[a] + x] = joins ? fewer[a] - 1 : fewer[a]++;
        }
    grammar_ = projected(rules_, old, to_new, fewer, mass_);
    const LatentLexicon words = lexicon_;
    lexicon_.lay_out(grammar_.layout);
    for (int a = 0; a < rules_.n_symbols; ++a)
        for (int x = 0; x < from.substates[a]; ++x)
            lexicon_.prior[grammar_.layout.row[a] + to_new[from.row[a] + x]] += words.prior[from.row[a] + x];
    for (std::size_t e = 0; e < lexicon_.tag.size(); ++e) {
        const int a = lexicon_.tag[e];
        for (int x = 0; x < from.substates[a]; ++x)
            lexicon_.counts[lexicon_.place[e] + to_new[from.row[a] + x]] += words.counts[words.place[e] + x];
    }
    lay_out();
    return to_new;
}

void LatentTrainer::restore(LatentGrammar grammar, std::vector<float> counts, std::vector<float> prior, float smoothing) {
    grammar_ = std::move(grammar);
    lexicon_.lay_out(grammar_.layout);
    if (counts.size() != lexicon_.counts.size() || prior.size() != lexicon_.prior.size())
        throw std::invalid_argument("counts of words do not fit the substates");
    lexicon_.counts = std::move(counts);
    lexicon_.prior = std::move(prior);
    lexicon_.smoothing = smoothing;
    lay_out();
}

void LatentTrainer::take(LatentGrammar counts, std::vector<float> words, std::vector<float> prior, std::vector<float> mass) {
    if (counts.layout.substates != grammar_.layout.substates || words.size() != lexicon_.counts.size() ||
        prior.size() != lexicon_.prior.size())
        throw std::invalid_argument("counts do not fit the substates");
    take_mass(std::move(mass));
    counts_ = std::move(counts);
    lexicon_.counts = std::move(words);
    lexicon_.prior = std::move(prior);
}

void LatentTrainer::take_mass(std::vector<float> mass) {
    if (mass.size() != grammar_.layout.width()) throw std::invalid_argument("frequencies do not fit the substates");
    mass_ = std::move(mass);
}

}  // namespace palmette
