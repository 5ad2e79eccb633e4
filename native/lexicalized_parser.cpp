#include "lexicalized_parser.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace palmette {
namespace {

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
        : f_(f), model_(f.model_), labels_(f.model_.labels), types_(types), tokens_(tokens), options_(options) {
        n_side_ = labels_.size() + 1;
        n_head_ = labels_.size() + 2;
        scale_ = std::exp(-f.forest_.log_z / static_cast<double>(tokens.size()));
        f.log_scale_ = f.forest_.log_z;
        own_.resize(f.forest_.items.size());
        closed_.assign(f.forest_.items.size(), 0);
        if (options.grandparents) find_grandparents();
        std::map<std::pair<int32_t, int32_t>, int32_t> numbers;
        for (size_t e = 0; e < f.emissions_.size(); ++e) numbers[{f.emissions_[e].position, f.emissions_[e].tag}] = static_cast<int32_t>(e);
        for (size_t v = 0; v < f.forest_.items.size(); ++v) {
            const ForestItem& item = f.forest_.items[v];
            if (item.parent >= 0 || item.kind != kComplete) continue;
            const int32_t s = state(static_cast<int32_t>(v), -1, -1, -1, -1, numbers.at({item.start, item.label}));
            f_.states_[s].in = 1.0;
        }
        for (const ForestEdge& edge : f.forest_.edges) visit(edge);
        finish();
    }

private:
    // Which labels may stand above the parent of an item, from the edges.
    void find_grandparents() {
        const auto& items = f_.forest_.items;
        above_.resize(items.size());
        for (const int32_t root : f_.forest_.roots) above_[root].push_back(labels_.none());
        const auto add = [&](int32_t to, int32_t label) {
            if (std::find(above_[to].begin(), above_[to].end(), label) == above_[to].end()) above_[to].push_back(label);
        };
        for (size_t e = f_.forest_.edges.size(); e-- > 0;) {
            const ForestEdge& edge = f_.forest_.edges[e];
            for (const int32_t tail : {edge.a, edge.b}) {
                if (tail < 0) continue;
                const ForestItem& item = items[tail];
                if (item.kind == kComplete && items[edge.head].kind != kComplete) {
                    if (item.parent >= 0) add(tail, items[edge.head].parent);
                } else {
                    for (const int32_t label : above_[edge.head]) add(tail, label);
                }
            }
        }
    }

    int32_t state(int32_t item, int32_t grandparent, int32_t head_child, int32_t before, int32_t outer, int32_t head) {
        int32_t& number = numbers_[key_of(1, item, grandparent, head_child, before, outer, head)];
        if (number < 0) {
            number = static_cast<int32_t>(f_.states_.size());
            f_.states_.push_back({item, grandparent, head_child, before, outer, head, 0.0, 0.0});
            own_[item].push_back(number);
        }
        return number;
    }

    void add(int32_t head, int32_t a, int32_t b, double weight) {
        const double in = weight * f_.states_[a].in * (b < 0 ? 1.0 : f_.states_[b].in);
        if (!(in > 0.0)) return;
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

    // The distribution of the next child of a growing state, or (decision kHead) of the head child.
    const float* distribution(int decision, const ForestItem& item, int32_t grandparent, int32_t head_child, int32_t before, int32_t outer, int32_t head) {
        const int32_t last = decision == kHead ? -1 : item.last, made = decision == kHead ? -1 : item.made;
        int32_t& number = situations_[key_of(2, decision, item.label, item.parent, grandparent, head_child, last, made, before, outer, head)];
        if (number < 0) {
            number = static_cast<int32_t>(pool_.size());
            pool_.resize(pool_.size() + n_head_);
            Variables v;
            v.fill(labels_.none());
            v[vX] = item.label;
            v[vP] = item.parent;
            v[vG] = grandparent;
            v[vT] = f_.emissions_[head].tag;
            v[vW] = word(head);
            if (decision != kHead) {
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

    // What a child with its head word costs below a head: its tag and its word.
    double dependent(int32_t label, int32_t child, int32_t parent, int32_t head_child, int32_t relation, int32_t head) {
        int32_t& number = dependents_[key_of(3, label, child, parent, head_child, relation, head)];
        if (number < 0) {
            number = static_cast<int32_t>(costs_.size());
            const Emission& e = f_.emissions_[child];
            Variables v;
            v.fill(labels_.none());
            v[vY] = label;
            v[vX] = parent;
            v[vM] = head_child;
            v[vRelation] = relation;
            v[vT] = head < 0 ? labels_.none() : f_.emissions_[head].tag;
            v[vW] = head < 0 ? -2 : word(head);
            double p = scale_;
            if (!labels_.is_tag[label]) p *= model_.probability(kTag, v, e.tag);
            v[vTY] = e.tag;
            p *= model_.word_ratio(v, word(child), e.tag_given_word);
            costs_.push_back(p);
        }
        return costs_[number];
    }

    // A child of any head word below one head: the sum over its states.
    int32_t hook(int32_t child, int32_t grandparent, int32_t parent, int32_t head_child, int32_t relation, int32_t head) {
        int32_t& number = hooks_[key_of(4, child, grandparent, parent, head_child, relation, head)];
        if (number < 0) {
            number = static_cast<int32_t>(f_.states_.size());
            const int32_t made = number;
            f_.states_.push_back({-1, -1, -1, -1, -1, head, 0.0, 0.0});
            const ForestItem& item = f_.forest_.items[child];
            for (const int32_t s : states(child))
                if (item.parent < 0 || f_.states_[s].grandparent == grandparent)
                    add(made, s, -1, dependent(item.label, f_.states_[s].head, parent, head_child, relation, head));
            return made;
        }
        return number;
    }

    void visit(const ForestEdge& edge) {
        const ForestItem& head = f_.forest_.items[edge.head];
        const ForestItem& first = f_.forest_.items[edge.a];
        if (edge.b >= 0) {
            const bool right = head.kind == kGrowsRight;
            const int32_t grown = right ? edge.a : edge.b, child = right ? edge.b : edge.a;
            const ForestItem& item = f_.forest_.items[grown];
            const int32_t relation = relation_of(labels_, right, item.last);
            for (const int32_t s : states(grown)) {
                const LexicalState from = f_.states_[s];
                const int32_t h = hook(child, options_.grandparents ? head.parent : -1, item.label, from.head_child, relation, from.head);
                if (!(f_.states_[h].in > 0.0)) continue;
                const float p = distribution(right ? kRight : kLeft, item, from.grandparent, from.head_child, from.before, from.outer, from.head)[f_.forest_.items[child].label];
                const int32_t to = state(edge.head, from.grandparent, from.head_child, item.last, from.outer, from.head);
                add(to, right ? s : h, right ? h : s, p);
            }
        } else if (head.kind == kGrowsLeft) {
            const bool tag = labels_.is_tag[first.label];
            const int32_t shown = tag ? labels_.preterminal() : first.label;
            for (const int32_t s : states(edge.a)) {
                const LexicalState from = f_.states_[s];
                if (options_.grandparents) {
                    if (!tag && from.grandparent != head.parent) continue;
                    for (const int32_t g : above_[edge.head]) begin(edge.head, s, g, shown, from.head);
                } else {
                    begin(edge.head, s, -1, shown, from.head);
                }
            }
        } else if (head.kind == kGrowsRight) {
            for (const int32_t s : states(edge.a)) {
                const LexicalState from = f_.states_[s];
                const float p = distribution(kLeft, first, from.grandparent, from.head_child, from.before, from.outer, from.head)[labels_.stop()];
                const int32_t outer = uses_outer() ? (first.made ? first.last : labels_.none()) : labels_.none();
                add(state(edge.head, from.grandparent, from.head_child, labels_.none(), outer, from.head), s, -1, p);
            }
        } else {
            for (const int32_t s : states(edge.a)) {
                const LexicalState from = f_.states_[s];
                const float p = distribution(kRight, first, from.grandparent, from.head_child, from.before, from.outer, from.head)[labels_.stop()];
                add(state(edge.head, from.grandparent, -1, -1, -1, from.head), s, -1, p);
            }
        }
    }

    bool uses_outer() const { return true; }

    void begin(int32_t head_item, int32_t s, int32_t grandparent, int32_t shown, int32_t head) {
        const float p = distribution(kHead, f_.forest_.items[head_item], grandparent, -1, -1, -1, head)[shown];
        add(state(head_item, grandparent, shown, labels_.none(), labels_.none(), head), s, -1, p);
    }

    void finish() {
        const auto root = static_cast<int32_t>(f_.states_.size());
        f_.states_.push_back({-1, -1, -1, -1, -1, -1, 0.0, 0.0});
        for (const int32_t item : f_.forest_.roots)
            for (const int32_t s : states(item)) add(root, s, -1, dependent(labels_.root, f_.states_[s].head, labels_.none(), labels_.none(), 0, -1));
        if (f_.states_[root].in > 0.0) f_.root_ = root;
    }

    LexicalForest& f_;
    const LexicalizedModel& model_;
    const LabelSet& labels_;
    const TokenTypes& types_;
    std::span<const int32_t> tokens_;
    const LexicalOptions& options_;
    int32_t n_side_, n_head_;
    double scale_;
    std::vector<std::vector<int32_t>> own_, above_;
    std::vector<uint8_t> closed_;
    KeyMap numbers_, situations_, dependents_, hooks_;
    std::vector<float> pool_;
    std::vector<double> costs_;
};

LexicalForest::LexicalForest(const LexicalizedModel& model, const CoarseModel& coarse, const TokenTypes& types, std::span<const int32_t> tokens, const LexicalOptions& options)
    : model_(model) {
    const int32_t n = model.labels.size();
    std::vector<float> p(n);
    for (size_t i = 0; i < tokens.size(); ++i) {
        model.tags_of(types, tokens[i], p.data());
        const float best = *std::max_element(p.begin(), p.end());
        for (int32_t t = 0; t < n; ++t)
            if (model.labels.is_tag[t] && p[t] > best * options.tag) emissions_.push_back({static_cast<int32_t>(i), t, p[t], p[t] / model.tag_probability[t]});
    }
    if (!coarse.forest(static_cast<int32_t>(tokens.size()), emissions_, options.coarse, forest_)) return;
    StateBuilder build(*this, types, tokens, options);
}

double LexicalForest::log_z() const { return std::log(states_[root_].in) + log_scale_; }

double LexicalForest::viterbi(std::vector<TreeNode>& tree) const {
    std::vector<double> best(states_.size(), 0.0);
    std::vector<int32_t> by(states_.size(), -1);
    for (const LexicalState& s : states_)
        if (s.item >= 0 && forest_.items[s.item].parent < 0 && forest_.items[s.item].kind == kComplete) best[&s - states_.data()] = 1.0;
    for (size_t e = 0; e < edges_.size(); ++e) {
        const LexicalEdge& edge = edges_[e];
        const double score = edge.weight * best[edge.a] * (edge.b < 0 ? 1.0 : best[edge.b]);
        if (score > best[edge.head]) {
            best[edge.head] = score;
            by[edge.head] = static_cast<int32_t>(e);
        }
    }
    std::vector<int32_t> todo{root_}, used;
    while (!todo.empty()) {
        const int32_t s = todo.back();
        todo.pop_back();
        if (by[s] < 0) continue;
        const LexicalEdge& edge = edges_[by[s]];
        used.push_back(by[s]);
        if (edge.b >= 0) todo.push_back(edge.b);
        todo.push_back(edge.a);
    }
    tree_of(used, tree);
    return std::log(best[root_]) + log_scale_;
}

void LexicalForest::tree_of(std::span<const int32_t> edges, std::vector<TreeNode>& tree) const {
    tree.clear();
    const auto show = [&](int32_t state) {
        const int32_t item = states_[state].item;
        if (item < 0 || forest_.items[item].kind != kComplete) return;
        tree.push_back({forest_.items[item].label, forest_.items[item].start, forest_.items[item].end});
    };
    // Preorder: a head's edge comes before those of its tails. A tag has no edge of its own and is shown with its parent's.
    struct Step {
        int32_t state;
    };
    std::vector<int32_t> by(states_.size(), -1);
    for (const int32_t e : edges) by[edges_[e].head] = e;
    std::vector<int32_t> todo{root_};
    while (!todo.empty()) {
        const int32_t s = todo.back();
        todo.pop_back();
        show(s);
        if (by[s] < 0) continue;
        const LexicalEdge& edge = edges_[by[s]];
        if (edge.b >= 0) todo.push_back(edge.b);
        todo.push_back(edge.a);
    }
}

std::vector<LexicalForest::Bracket> LexicalForest::posteriors() {
    for (LexicalState& s : states_) s.out = 0.0;
    states_[root_].out = 1.0;
    for (size_t e = edges_.size(); e-- > 0;) {
        const LexicalEdge& edge = edges_[e];
        const double o = states_[edge.head].out * edge.weight;
        if (o == 0.0) continue;
        if (edge.b < 0) {
            states_[edge.a].out += o;
        } else {
            states_[edge.a].out += o * states_[edge.b].in;
            states_[edge.b].out += o * states_[edge.a].in;
        }
    }
    std::map<std::array<int32_t, 3>, double> sums;
    const double z = states_[root_].in;
    for (const LexicalState& s : states_) {
        if (s.item < 0 || forest_.items[s.item].kind != kComplete) continue;
        const ForestItem& item = forest_.items[s.item];
        sums[{item.start, item.end, item.label}] += s.in * s.out / z;
    }
    std::vector<Bracket> found;
    for (const auto& [key, p] : sums) found.push_back({key[2], key[0], key[1], p});
    return found;
}

}  // namespace palmette
