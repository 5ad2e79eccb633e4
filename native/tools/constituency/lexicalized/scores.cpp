#include "tools/constituency/lexicalized/scores.hpp"

#include "base/hashing.hpp"
#include "base/parallel.hpp"

namespace palmette {
namespace {

// The log-probabilities of steps, by all that they depend on.
class KnownSteps {
public:
    void clear() {
        steps_.clear();
        slots_.assign(1024, -1);
    }
    // The value of a step; compute() gives that of a new one.
    template <class Compute>
    double value(int decision, const Variables& v, std::int32_t outcome, Compute&& compute) {
        std::uint64_t hash = combine(static_cast<std::uint64_t>(decision), static_cast<std::uint64_t>(outcome));
        for (std::size_t k = 0; k + 1 < v.size(); k += 2)
            hash = combine(hash, static_cast<std::uint64_t>(static_cast<std::uint32_t>(v[k])) << 32 | static_cast<std::uint32_t>(v[k + 1]));
        if constexpr (kVariables % 2) hash = combine(hash, static_cast<std::uint32_t>(v.back()));
        if (2 * steps_.size() >= slots_.size()) grow();
        std::size_t at = hash & (slots_.size() - 1);
        for (; slots_[at] >= 0; at = (at + 1) & (slots_.size() - 1)) {
            const Step& step = steps_[static_cast<std::size_t>(slots_[at])];
            if (step.hash == hash && step.decision == decision && step.outcome == outcome && step.v == v) return step.value;
        }
        slots_[at] = static_cast<std::int32_t>(steps_.size());
        steps_.push_back({hash, v, decision, outcome, compute()});
        return steps_.back().value;
    }

private:
    struct Step {
        std::uint64_t hash;
        Variables v;
        std::int32_t decision, outcome;
        double value;
    };
    void grow() {
        slots_.assign(2 * slots_.size(), -1);
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            std::size_t at = steps_[s].hash & (slots_.size() - 1);
            while (slots_[at] >= 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::int32_t>(s);
        }
    }
    std::vector<Step> steps_;
    std::vector<std::int32_t> slots_;
};

// One tree of a forest, flat.
struct OneTree {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> label, children, head, token, todo;

    void take(const PhraseForest& forest, std::int32_t root, const ShapeHeads& heads, std::size_t first, std::span<const std::int32_t> tokens) {
        for (auto* column : {&label, &children, &head, &token}) column->clear();
        todo.assign(1, root);
        while (!todo.empty()) {
            const auto v = static_cast<std::size_t>(todo.back());
            todo.pop_back();
            const auto below = forest.children(v);
            const std::int32_t shape = heads.of_node[first + v];
            label.push_back(below.empty() ? forest.label(v) : heads.label[static_cast<std::size_t>(shape)]);
            children.push_back(static_cast<std::int32_t>(below.size()));
            head.push_back(below.empty() ? -1 : heads.head[static_cast<std::size_t>(shape)]);
            token.push_back(below.empty() ? tokens[static_cast<std::size_t>(forest.start(v))] : -1);
            todo.insert(todo.end(), below.rbegin(), below.rend());
        }
        offsets.assign({0, static_cast<std::int64_t>(label.size())});
    }
    FlatTrees flat() const { return {offsets, label, children, head, token}; }
};

}  // namespace

std::vector<double> phrase_scores(const LexicalizedModel& model, std::span<const PhraseForest> forests, const ShapeHeads& heads, const TokenTypes& types,
                                  std::span<const std::int64_t> offsets, std::span<const std::int32_t> tokens, int n_jobs) {
    std::vector<std::size_t> first_node(forests.size() + 1), first_tree(forests.size() + 1);
    for (std::size_t i = 0; i < forests.size(); ++i) {
        first_node[i + 1] = first_node[i] + forests[i].size();
        first_tree[i + 1] = first_tree[i] + forests[i].roots().size();
    }
    std::vector<double> sums(first_tree.back(), 0.0);
    parallel(forests.size(), n_jobs, [&](std::size_t i, std::size_t) {
        static thread_local KnownSteps known;
        static thread_local OneTree tree;
        known.clear();
        std::vector<float> tags(static_cast<std::size_t>(model.labels.size()));
        const auto own = tokens.subspan(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
        for (std::size_t t = 0; t < forests[i].roots().size(); ++t) {
            double& sum = sums[first_tree[i] + t];
            tree.take(forests[i], forests[i].roots()[t], heads, first_node[i], own);
            auto step = [&](int decision, const Variables& v, std::int32_t outcome, std::size_t) {
                sum += known.value(decision, v, outcome, [&] { return model.log_probability(types, decision, v, outcome, tags); });
            };
            TreeWalk walk(model.labels, tree.flat(), 0, step);
        }
    });
    return sums;
}

}  // namespace palmette
