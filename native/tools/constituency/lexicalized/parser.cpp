#include "tools/constituency/lexicalized/parser.hpp"

#include <algorithm>
#include <map>

namespace palmette {
namespace {

constexpr int kAttempts = 8, kTightened = 2;
constexpr double kLeastTightened = 1e-4;  // of a threshold, which may be zero before
constexpr size_t kKeyBytes = 64;  // what a key of a KeyMap takes while the map grows

// From 64-bit keys to numbers, by open addressing.
class KeyMap {
public:
    KeyMap() : slots_(1 << 12) {}
    // The number of a key; `next` is given to a new one.
    int32_t& operator[](uint64_t key) {
        if (2 * used_ >= slots_.size()) grow();
        for (size_t s = mix_bits(key) & (slots_.size() - 1);; s = (s + 1) & (slots_.size() - 1)) {
            if (slots_[s].value < 0) {
                ++used_;
                slots_[s].key = key;
                return slots_[s].value;  // -1: the caller sets it
            }
            if (slots_[s].key == key) return slots_[s].value;
        }
    }

private:
    struct Slot {
        uint64_t key = 0;
        int32_t value = -1;
    };
    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.value < 0) continue;
            size_t s = mix_bits(slot.key) & (slots_.size() - 1);
            while (slots_[s].value >= 0) s = (s + 1) & (slots_.size() - 1);
            slots_[s] = slot;
        }
    }
    std::vector<Slot> slots_;
    size_t used_ = 0;
};

template <class... Parts>
uint64_t key_of(uint64_t first, Parts... parts) {
    uint64_t key = first;
    ((key = combine(key, static_cast<uint64_t>(static_cast<uint32_t>(parts)) + 0x10001u)), ...);
    return key;
}

}  // namespace

class StateBuilder {
public:
    StateBuilder(LexicalForest& f, const TokenTypes& types, std::span<const int32_t> tokens, const LexicalOptions& options)
        : f_(f), model_(f.model_), labels_(f.model_.labels), types_(types), tokens_(tokens), options_(options), budget_(options.memory) {
        n_head_ = labels_.size() + 2;
        scale_ = std::exp(-f.forest_.log_z / static_cast<double>(tokens.size()));
        f.log_scale_ = f.forest_.log_z;
        own_.resize(f.forest_.items.size());
        closed_.assign(f.forest_.items.size(), 0);
        std::map<std::pair<int32_t, int32_t>, int32_t> numbers;
        for (size_t e = 0; e < f.emissions_.size(); ++e) numbers[{f.emissions_[e].position, f.emissions_[e].tag}] = static_cast<int32_t>(e);
        for (size_t v = 0; v < f.forest_.items.size(); ++v) {
            const ForestItem& item = f.forest_.items[v];
            if (item.parent >= 0 || item.kind != kComplete) continue;
            const int32_t word = numbers.at({item.start, item.label});
            const int32_t s = state(static_cast<int32_t>(v), -1, -1, -1, word, word);
            f_.states_[s].in = 1.0;
        }
        for (const HeadedEdge& edge : f.forest_.edges) {
            check_interrupt();
            visit(edge);
        }
        finish();
    }

private:
    int32_t state(int32_t item, int32_t head_child, int32_t before, int32_t outer, int32_t head, int32_t semantic) {
        int32_t& number = numbers_[key_of(1, item, head_child, before, outer, head, semantic)];
        if (number < 0) {
            budget_.take_one<LexicalState>();
            budget_.take(kKeyBytes);
            number = static_cast<int32_t>(f_.states_.size());
            f_.states_.push_back({item, head_child, before, outer, head, semantic, 0.0, 0.0});
            own_[item].push_back(number);
        }
        return number;
    }

    void add(int32_t head, int32_t a, int32_t b, double weight) {
        const double in = weight * f_.states_[a].in * (b < 0 ? 1.0 : f_.states_[b].in);
        if (!(in > 0.0)) return;
        budget_.take_one<LexicalEdge>();
        f_.edges_.push_back({head, a, b, weight});
        f_.states_[head].in += in;
    }

    // The states of an item, of which nothing more comes; those far below the best are left out.
    const std::vector<int32_t>& states(int32_t item) {
        std::vector<int32_t>& own = own_[item];
        if (!closed_[item]) {
            closed_[item] = 1;
            double best = 0.0;
            for (const int32_t s : own) best = std::max(best, f_.states_[s].in);
            std::erase_if(own, [&](int32_t s) { return !(f_.states_[s].in > best * options_.beam); });
        }
        return own;
    }

    int32_t word(int32_t head) const { return types_.word[tokens_[f_.emissions_[head].position]]; }

    // The distribution of the next child of a growing state, or (decision kHead) of the head child; by the head word alone.
    const float* distribution(int decision, const ForestItem& item, const LexicalState& from) {
        const bool grows = decision != kHead;
        const int32_t last = grows ? item.last : -1, made = grows ? item.made : -1, head_child = grows ? from.head_child : -1, before = grows ? from.before : -1, outer = grows ? from.outer : -1;
        int32_t& number = situations_[key_of(2, decision, item.label, item.parent, head_child, last, made, before, outer, from.head)];
        if (number < 0) {
            budget_.take(kKeyBytes + 2 * n_head_ * sizeof(float));
            number = static_cast<int32_t>(pool_.size());
            pool_.resize(pool_.size() + n_head_);
            Variables v = no_variables(labels_.none());
            v[vX] = item.label;
            v[vP] = item.parent;
            v[vT] = f_.emissions_[from.head].tag;
            v[vW] = word(from.head);
            if (grows) {
                v[vM] = head_child;
                v[vP1] = item.last;
                v[vMade] = item.made;
                v[vP2] = before;
                v[vOuter] = outer;
            }
            model_.distribution(decision, v, &pool_[number]);
        }
        return &pool_[number];
    }

    // Where a child is attached: the parent's label, head child and heads, and the child's relation to the head.
    struct Place {
        int32_t parent, head_child, relation, head, semantic;
        bool gives;  // whether the child gives its semantic head to the parent
    };

    // What a child with its heads costs in a place: its tag and its words, without those that it gives away.
    double dependent(int32_t label, int32_t child, int32_t semantic, const Place& at) {
        int32_t& number = dependents_[key_of(3, label, child, semantic, at.parent, at.head_child, at.relation, at.head, at.semantic, at.gives)];
        if (number < 0) {
            budget_.take(kKeyBytes + 2 * sizeof(double));
            number = static_cast<int32_t>(costs_.size());
            Variables v = no_variables(labels_.none());
            v[vY] = label;
            v[vX] = at.parent;
            v[vM] = at.head_child;
            v[vRelation] = at.relation;
            if (at.head >= 0) {
                v[vT] = f_.emissions_[at.head].tag;
                v[vW] = word(at.head);
                v[vS] = word(at.semantic);
            }
            double p = labels_.is_tag[label] ? 1.0 : model_.probability(kTag, v, f_.emissions_[child].tag);
            if (!at.gives || semantic != child) p *= word_cost(kWord, v, child);
            if (!at.gives && semantic != child) {
                v[vOwn] = word(child);
                p *= word_cost(kSemantic, v, semantic);
            }
            costs_.push_back(p);
        }
        return costs_[number];
    }

    double word_cost(int decision, Variables& v, int32_t emission) const {
        const LexicalEmission& e = f_.emissions_[emission];
        v[vTY] = e.tag;
        return scale_ * model_.word_ratio(decision, v, word(emission), e.tag_given_word);
    }

    // A child of any head words in a place: the sum over its states.
    int32_t hook(int32_t child, const Place& at) {
        int32_t& number = hooks_[key_of(4, child, at.parent, at.head_child, at.relation, at.head, at.semantic)];
        if (number < 0) {
            budget_.take_one<LexicalState>();
            budget_.take(kKeyBytes);
            number = static_cast<int32_t>(f_.states_.size());
            const int32_t made = number;
            f_.states_.push_back({-1, -1, -1, -1, at.head, at.semantic, 0.0, 0.0});
            const ForestItem& item = f_.forest_.items[child];
            for (const int32_t s : states(child))
                add(made, s, -1, dependent(item.label, f_.states_[s].head, f_.states_[s].semantic, at));
            return made;
        }
        return number;
    }

    void visit(const HeadedEdge& edge) {
        const ForestItem& head = f_.forest_.items[edge.head];
        const ForestItem& first = f_.forest_.items[edge.a];
        if (edge.b >= 0) {
            const bool right = head.kind == kGrowsRight;
            const int32_t grown = right ? edge.a : edge.b, child = right ? edge.b : edge.a;
            const ForestItem& item = f_.forest_.items[grown];
            const int32_t relation = relation_of(labels_, right, item.last);
            for (const int32_t s : states(grown)) {
                const LexicalState from = f_.states_[s];
                const int32_t label = f_.forest_.items[child].label;
                const int32_t m = from.head_child == labels_.preterminal() ? f_.emissions_[from.head].tag : from.head_child;
                const bool gives = from.semantic == from.head && labels_.gives(item.label, m, label, right);
                const Place at{item.label, from.head_child, relation, from.head, from.semantic, gives};
                const auto p = [&] { return distribution(right ? kRight : kLeft, item, from)[label]; };
                if (gives) {
                    for (const int32_t c : states(child)) {
                        const LexicalState given = f_.states_[c];
                        const int32_t to = state(edge.head, from.head_child, item.last, from.outer, from.head, given.semantic);
                        add(to, right ? s : c, right ? c : s, p() * dependent(label, given.head, given.semantic, at));
                    }
                    continue;
                }
                const int32_t h = hook(child, at);
                if (!(f_.states_[h].in > 0.0)) continue;
                const int32_t to = state(edge.head, from.head_child, item.last, from.outer, from.head, from.semantic);
                add(to, right ? s : h, right ? h : s, p());
            }
        } else if (head.kind == kGrowsLeft) {
            const bool tag = labels_.is_tag[first.label];
            const int32_t shown = tag ? labels_.preterminal() : first.label;
            for (const int32_t s : states(edge.a)) {
                const LexicalState from = f_.states_[s];
                const float p = distribution(kHead, head, from)[shown];
                add(state(edge.head, shown, labels_.none(), labels_.none(), from.head, from.semantic), s, -1, p);
            }
        } else if (head.kind == kGrowsRight) {
            for (const int32_t s : states(edge.a)) {
                const LexicalState from = f_.states_[s];
                const float p = distribution(kLeft, first, from)[labels_.stop()];
                const int32_t outer = first.made ? first.last : labels_.none();
                add(state(edge.head, from.head_child, labels_.none(), outer, from.head, from.semantic), s, -1, p);
            }
        } else {
            for (const int32_t s : states(edge.a)) {
                const LexicalState from = f_.states_[s];
                const float p = distribution(kRight, first, from)[labels_.stop()];
                add(state(edge.head, -1, -1, -1, from.head, from.semantic), s, -1, p);
            }
        }
    }

    void finish() {
        const auto root = static_cast<int32_t>(f_.states_.size());
        f_.states_.push_back({-1, -1, -1, -1, -1, -1, 0.0, 0.0});
        const Place at{labels_.none(), labels_.none(), 0, -1, -1, false};
        for (const int32_t item : f_.forest_.roots)
            for (const int32_t s : states(item)) add(root, s, -1, dependent(labels_.root, f_.states_[s].head, f_.states_[s].semantic, at));
        if (f_.states_[root].in > 0.0) f_.root_ = root;
    }

    LexicalForest& f_;
    const LexicalizedModel& model_;
    const LabelSet& labels_;
    const TokenTypes& types_;
    std::span<const int32_t> tokens_;
    const LexicalOptions& options_;
    Budget budget_;
    int32_t n_head_;
    double scale_;
    std::vector<std::vector<int32_t>> own_;
    std::vector<uint8_t> closed_;
    KeyMap numbers_, situations_, dependents_, hooks_;
    std::vector<float> pool_;
    std::vector<double> costs_;
};

LexicalForest::LexicalForest(const LexicalizedModel& model, const CoarseModel& coarse, const TokenTypes& types, std::span<const int32_t> tokens, std::span<const int32_t> given,
                             const SpanRules& rules, const LexicalOptions& options)
    : model_(model), n_(static_cast<int32_t>(tokens.size())) {
    find_emissions(types, tokens, given, options.tag);
    const auto search = [&](const LexicalOptions& chosen) {
        forest_ = {};
        std::vector<LexicalState>().swap(states_);
        std::vector<LexicalEdge>().swap(edges_);
        if (coarse_forest(coarse, n_, emissions_, rules, chosen.coarse, chosen.memory, forest_)) StateBuilder build(*this, types, tokens, chosen);
    };
    // Where it takes too much memory, more is pruned, and the sentence is given up where that does not help.
    LexicalOptions tighter = options;
    for (int attempt = 0; attempt <= kTightened; ++attempt) {
        try {
            search(tighter);
            break;
        } catch (const OverBudget&) {
            tightened_ = true;
            too_large_ = attempt == kTightened;
            for (double* threshold : {&tighter.coarse.first, &tighter.coarse.pairs, &tighter.coarse.second, &tighter.coarse.drop, &tighter.beam}) *threshold = std::clamp(*threshold * 10.0, kLeastTightened, 0.1);
        }
    }
    if (tightened_) {
        too_large_ = !parsed();
        return;
    }
    LexicalOptions looser = options;
    // Where too much was pruned, or was too small for a double, once more: rare sentences pay for it, others do not.
    for (int attempt = 0; attempt < kAttempts && !parsed(); ++attempt) {
        try {
            if (attempt > 0) search(looser);
        } catch (const OverBudget&) {
            too_large_ = true;
            return;
        }
        looser.coarse.drop *= 1e-6;
        looser.beam *= 1e-2;
        if (attempt % 2 == 0) looser.coarse.scale *= 16.0;
        if (attempt < 2)
            for (double* threshold : {&looser.coarse.first, &looser.coarse.pairs}) *threshold *= 1e-1;
    }
}

void LexicalForest::find_emissions(const TokenTypes& types, std::span<const int32_t> tokens, std::span<const int32_t> given, double least) {
    const int32_t n = model_.labels.size();
    std::vector<float> p(n);
    for (size_t i = 0; i < tokens.size(); ++i) {
        model_.tags_of(types, tokens[i], p.data());
        const float best = *std::max_element(p.begin(), p.end());
        for (int32_t t = 0; t < n; ++t) {
            if (!model_.labels.is_tag[t] || (given.empty() || given[i] < 0 ? !(p[t] > best * least) : t != given[i])) continue;
            const float share = std::max(p[t], kLeastTag);
            emissions_.push_back({static_cast<int32_t>(i), t, share, share / model_.tag_probability[t]});
        }
    }
}

}  // namespace palmette
