#include "structures/transitions/problem.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace palmette {
namespace {

bool chance(std::uint64_t round, std::size_t example, std::size_t step, double probability) {
    if (probability >= 1) return true;
    const std::uint64_t h = mix_bits(combine(combine(round * kOdd + 1, example + 1), step + 1));
    return static_cast<double>(h >> 11) * 0x1p-53 < probability;
}

}  // namespace

TransitionProblem::TransitionProblem(const TransitionData& data, const TransitionFeatures& features, const MoveSet& moves)
    : d_(data), f_(features), set_(moves), labels_at_(features.move_rows() * moves.move_stride) {
    const bool plain = d_.training == Training::follow;
    if (d_.training == Training::explore && (d_.system == System::arc_standard || d_.system == System::swap))
        throw std::invalid_argument("arc-standard and swap have no dynamic oracle: take arc-hybrid or arc-eager, or a static oracle");
    if (!plain && (!d_.heads || !d_.labels)) throw std::invalid_argument("trees are needed to learn from");
    path_rows_.assign(1, 0);
    GoldTree gold;
    std::vector<Kind> kinds;
    std::vector<std::uint32_t> path;
    for (std::size_t i = 0; i < size(); ++i) {
        if (!plain) {
            read_gold(i, gold);
            if (!oracle(d_.system, gold, kinds)) throw std::invalid_argument("sentence " + std::to_string(i + 1) + ": its tree cannot be made by this transition system");
            with_system(d_.system, [&](auto policy) {
                using S = decltype(policy);
                Configuration c;
                c.start(n_tokens(i), S::root_last);
                for (const Kind kind : kinds) {
                    const std::int32_t label = kind >= kLeft ? gold.labels[S::arc(c, kind).word] : kNone;
                    path.push_back(packed_step(kind, label, kind >= kLeft ? kind : 0));
                    S::apply(c, kind, label);
                }
            });
        }
        path_rows_.push_back(path.size());
    }
    paths_ = std::make_unique<std::atomic<std::uint32_t>[]>(path.size());
    for (std::size_t k = 0; k < path.size(); ++k) paths_[k].store(path[k], std::memory_order_relaxed);
}

void TransitionProblem::read_gold(std::size_t i, GoldTree& gold) const {
    const std::size_t n = n_tokens(i);
    const auto first = static_cast<std::size_t>(d_.views.offsets[i]);
    gold.set({d_.heads + first, n}, {d_.labels + first, n});
}

Offers TransitionProblem::offers() const {
    // Steps are classified one by one, so the k best of each do not make the k best outputs; ways that change have other parts in every pass.
    if (d_.training == Training::imitate) return {"best", "weights", "votes", "marginals", "parts", "costs"};
    if (d_.training == Training::explore) return {"best", "weights", "votes", "marginals"};
    return offers_of_search();
}

void TransitionProblem::require_steps(const char* what) const {
    if (d_.training == Training::beam || d_.training == Training::follow)
        throw std::invalid_argument(std::string(what) + " needs a parser that is trained step by step: beam = 1, with trees");
}

void TransitionProblem::score(State& s, std::size_t i, const float* w, float scale) const {
    s.example = i;
    s.w = w;
    s.scale = scale;
    s.steps.clear();
    if (!s.sums) return;
    require_steps("a log-linear learner");
    with_system(d_.system, [&](auto policy) { walk<decltype(policy)>(s, 0.0f, nullptr); });
}

// The steps of an example: its own scores, or where `s.w` is null none. Fills `y` with the mistakes, if it is not null, and the
// steps and parts, if it is.
template <class S>
double TransitionProblem::walk(State& s, float cost, Output* y) const {
    const std::size_t i = s.example, n = n_tokens(i);
    const bool explore = d_.training == Training::explore;
    const SentenceViews views = sentence(i);
    const FloatWeights w = weights(s);
    Configuration& c = s.c;
    Look& look = s.look;
    look.size(set_);
    read_gold(i, s.gold);
    c.start(n, S::root_last);
    if (!y) {
        s.steps.clear();
        s.parts.assign(n_parts(i), 0.0f);
    }
    double total = 0;
    std::array<std::int32_t, kKinds> costs;
    for (std::size_t t = 0; !S::finished(c) && t < n_steps(i); ++t) {
        Step step{S::legal(c), 0, {kNone, kNone, kNone, kNone}, kNone, kNone};
        if (explore) {
            if constexpr (S::has_costs) {
                transition_costs<S>(c, s.gold, step.legal, costs);
                std::int32_t least = std::numeric_limits<std::int32_t>::max();
                for (std::size_t k = 0; k < kKinds; ++k)
                    if (step.legal & 1u << k) least = std::min(least, costs[k]);
                for (std::size_t k = 0; k < kKinds; ++k)
                    if (step.legal & 1u << k && costs[k] == least) step.right |= static_cast<KindSet>(1u << k);
            }
        } else {
            step.right = bit(static_cast<Kind>(paths_[path_rows_[i] + t].load(std::memory_order_relaxed) & 3));
        }
        for (const Kind kind : {kLeft, kRight})
            if (step.right & bit(kind)) {
                const Arc arc = S::arc(c, kind);
                if (s.gold.heads[arc.word] == arc.head) step.groups[kind] = set_.group_of[s.gold.labels[arc.word]];
            }
        const auto is_right = [&](std::size_t m) {
            const Kind kind = set_.kind(m);
            return (step.right & bit(kind)) && (step.groups[kind] < 0 || step.groups[kind] == set_.group(m));
        };
        std::size_t right = 0, guess = 0;
        if (s.w) {
            look_at_moves(f_, w, views, c, look);
            const std::size_t none = set_.n_moves();
            float best_right = 0, best = 0;
            right = guess = none;
            for (std::size_t m = 0; m < set_.n_moves(); ++m) {
                if (!(step.legal & bit(set_.kind(m)))) continue;
                const bool good = is_right(m);
                const float score = look.moves[m] + (good ? 0.0f : cost);
                if (good && (right == none || score > best_right)) best_right = score, right = m;
                if (guess == none || score > best) best = score, guess = m;
            }
            if (right == none || guess == none) throw std::logic_error("a configuration has no move");
            total += best;
            if (y && !is_right(guess)) {
                y->change(look.room, right, guess, false);
                y->loss += 1;
            }
            if (!y) std::copy_n(look.moves.data(), set_.move_stride, s.parts.data() + t * step_parts());
        } else {
            while (!is_right(right)) ++right;
            guess = right;
        }
        // The label of the right arc.
        const Kind right_kind = set_.kind(right);
        std::int32_t right_label = kNone, guess_label = kNone;
        if (right_kind >= kLeft && step.groups[right_kind] >= 0) {
            const Arc arc = S::arc(c, right_kind);
            right_label = guess_label = s.gold.labels[arc.word];
            const auto& group = set_.members[step.groups[right_kind]];
            if (group.size() > 1) {
                step.label = right_label;
                step.group = step.groups[right_kind];
                if (s.w) {
                    look_at_labels(f_, w, views, c, arc, look);
                    if (!y) std::copy_n(look.labels.data(), set_.label_stride, s.parts.data() + t * step_parts() + set_.move_stride);
                    for (const std::int32_t label : group) look.labels[label] += label == right_label ? 0.0f : cost;
                    guess_label = best_label(group, look.labels.data());
                    total += look.labels[guess_label];
                    if (y && guess_label != right_label) {
                        y->change(look.room, right_label, guess_label, true);
                        y->loss += 1;
                    }
                }
            }
        }
        if (!y) s.steps.push_back(step);
        // Where to go from here.
        const bool own = explore && chance(round_, i, t, exploration_);
        const std::size_t move = own ? guess : right;
        const Kind kind = set_.kind(move);
        std::int32_t label = kNone;
        if (kind >= kLeft) {
            if (kind == right_kind && right_label >= 0 && set_.group(move) == step.groups[kind]) label = own ? guess_label : right_label;
            else label = label_of(f_, set_, w, views, c, move, S::arc(c, kind), look);
        }
        if (explore && !y) paths_[path_rows_[i] + t].store(packed_step(kind, label, step.label >= 0 ? right_kind : 0), std::memory_order_relaxed);
        S::apply(c, kind, label);
    }
    return total;
}

void TransitionProblem::set_scores(State& s, std::size_t i, const float* parts) const {
    if (d_.training != Training::imitate) throw std::invalid_argument("a dual learner needs a static oracle and beam = 1");
    s.example = i;
    s.w = nullptr;
    with_system(d_.system, [&](auto policy) { walk<decltype(policy)>(s, 0.0f, nullptr); });
    s.parts.assign(parts, parts + n_parts(i));
}

void TransitionProblem::part_scores(std::size_t i, const float* w, float* parts) const {
    require_steps("a score of parts");
    State s;
    s.sums = true;
    score(s, i, w, 1.0f);
    std::copy(s.parts.begin(), s.parts.end(), parts);
}

void TransitionProblem::observed(std::uint8_t* mask) const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (!n_steps(i)) continue;
        GoldTree gold;
        read_gold(i, gold);
        const SentenceViews views = sentence(i);
        std::vector<Kind> kinds;
        oracle(d_.system, gold, kinds);
        with_system(d_.system, [&](auto policy) {
            using S = decltype(policy);
            Configuration c;
            TransitionFeatures::Room room;
            c.start(n_tokens(i), S::root_last);
            for (const Kind kind : kinds) {
                std::int32_t label = kNone;
                if (kind >= kLeft) {
                    const Arc arc = S::arc(c, kind);
                    label = gold.labels[arc.word];
                    f_.labels(views, c, arc, room, [](std::int32_t) {});
                    for (std::size_t k = 0; k < room.n; ++k) mask[index(true, room.rows[k], label)] = 1;
                }
                f_.moves(views, c, room, [](std::int32_t) {});
                for (std::size_t k = 0; k < room.n; ++k) mask[index(false, room.rows[k], set_.move(kind, label))] = 1;
                S::apply(c, kind, label);
            }
        });
    }
}

void TransitionProblem::finish(State& s, const ScoredTree& tree, Output& y) const {
    y.tree = tree;
    y.loss = 0;
    if (!d_.heads) return;
    const std::int64_t first = d_.views.offsets[s.example];
    for (std::size_t k = 0; k < tree.heads.size(); ++k)
        y.loss += tree.heads[k] != d_.heads[first + k] || (d_.labels && tree.labels[k] != d_.labels[first + k]);
}

double TransitionProblem::best(State& s, float cost, Output& y) const {
    if (d_.training == Training::beam || (d_.training == Training::follow && d_.width > 1)) {
        std::vector<Output> ys;
        std::vector<double> scores;
        kbest(s, 1, cost, ys, scores);
        y = std::move(ys.front());
        return scores.front();
    }
    y.clear();
    return with_system(d_.system, [&](auto policy) {
        using S = decltype(policy);
        if (d_.training != Training::follow) return walk<S>(s, cost, &y);
        ScoredTree tree;
        tree.score = greedy_walk<S>(f_, set_, weights(s), sentence(s.example), n_tokens(s.example), nullptr, s.c, s.look,
                                    [](const Configuration&, const Look&, KindSet, std::size_t) {});
        read_tree(s.c, tree);
        finish(s, tree, y);
        return tree.score;
    });
}

void TransitionProblem::kbest(State& s, std::size_t k, float cost, std::vector<Output>& ys, std::vector<double>& scores) const {
    if (d_.training == Training::imitate || d_.training == Training::explore) {
        // Steps are classified one by one: the k best of each do not make the k best outputs.
        ys.resize(1);
        scores.assign(1, best(s, cost, ys[0]));
        return;
    }
    with_system(d_.system, [&](auto policy) {
        using S = decltype(policy);
        if (d_.training == Training::beam) {
            search<S>(s, cost, k, ys, scores);
            return;
        }
        beam_search<S>(s.beam, f_, set_, weights(s), sentence(s.example), n_tokens(s.example), std::max(d_.width, k), nullptr);
        ys.resize(std::min(k, s.beam.size));
        scores.resize(ys.size());
        ScoredTree tree;
        for (std::size_t j = 0; j < ys.size(); ++j) {
            ys[j].clear();
            read_tree(s.beam.items[j].c, tree);
            scores[j] = tree.score = s.beam.items[j].score;
            finish(s, tree, ys[j]);
        }
    });
}

template <class S>
double TransitionProblem::search(State& s, float cost, std::size_t k, std::vector<Output>& ys, std::vector<double>& scores) const {
    const std::size_t i = s.example;
    const SentenceViews views = sentence(i);
    const FloatWeights w = weights(s);
    read_gold(i, s.gold);
    s.look.size(set_);
    Beam& beam = s.beam;
    start_beam<S>(beam, set_, d_.width, n_tokens(i));
    // The right sequence, with a configuration of its own.
    Configuration& right = s.c;
    right.start(n_tokens(i), S::root_last);
    const auto step_at = [&](std::size_t t) { return paths_[path_rows_[i] + t].load(std::memory_order_relaxed); };
    std::size_t t = 0;
    std::size_t right_move = 0;
    std::int32_t right_label = kNone;
    double right_score = 0;
    const auto wrong = [&](const Beam::Item& item, std::size_t move) {
        const Kind kind = set_.kind(move);
        if (kind < kLeft) return 0;
        const Arc arc = S::arc(item.c, kind);
        return s.gold.heads[arc.word] == arc.head && set_.group_of[s.gold.labels[arc.word]] == set_.group(move) ? 0 : 1;
    };
    // A right way keeps the right labels: these are learned by themselves.
    const auto chosen = [&](const Beam::Item& from, std::size_t move, std::int32_t& label) {
        const bool good = from.gold && t < n_steps(i) && move == right_move;
        if (good) label = right_label;
        return good;
    };
    struct Violation {
        double by = -std::numeric_limits<double>::infinity();
        std::size_t steps = 0;
        std::vector<std::int32_t> made;
        std::vector<double> scores, costs;
    } worst;
    const auto take = [&](double by) {
        if (by <= worst.by) return;
        worst.by = by;
        worst.steps = std::min(t, n_steps(i));
        worst.made.clear(), worst.scores.clear(), worst.costs.clear();
        for (std::size_t j = 0; j < beam.size && worst.made.size() < k; ++j)
            if (!beam.items[j].gold) {
                worst.made.push_back(beam.items[j].made);
                worst.scores.push_back(beam.items[j].score + cost * beam.items[j].cost);
                worst.costs.push_back(beam.items[j].cost);
            }
    };
    bool lost = false, ended = false;
    while (!ended) {
        if (t < n_steps(i)) {
            const std::uint32_t step = step_at(t);
            right_label = static_cast<std::int32_t>(step >> 4) - 1;
            right_move = set_.move(static_cast<Kind>(step & 3), right_label);
            look_at_moves(f_, w, views, right, s.look);
            right_score += s.look.moves[right_move];
            S::apply(right, static_cast<Kind>(step & 3), right_label);
        }
        ended = !step_beam<S>(beam, f_, set_, w, views, d_.width, cost, [](const Configuration& c) { return S::legal(c); }, wrong, chosen);
        t += !ended;
        const Beam::Item& first = beam.items[0];
        lost = true;
        for (std::size_t j = 0; j < beam.size; ++j) lost &= !beam.items[j].gold;
        const double by = first.score + cost * first.cost - right_score;
        if (d_.max_violation) {
            if (!first.gold && by >= 0) take(by);
        } else if (lost || ended) {
            if (!first.gold) take(std::max(by, 0.0));
            break;
        }
    }
    const std::size_t count = std::max<std::size_t>(1, worst.made.size());
    ys.resize(count);
    scores.assign(count, right_score);
    for (std::size_t j = 0; j < count; ++j) {
        ys[j].clear();
        const std::size_t steps = worst.made.empty() ? n_steps(i) : worst.steps;
        if (j < worst.made.size()) {
            beam.way(worst.made[j], s.way);
            scores[j] = worst.scores[j];
        } else {
            s.way.clear();
        }
        prefixes<S>(s, s.way, steps, ys[j]);
        if (!s.way.empty()) ys[j].loss = std::max(1.0, ys[j].loss + (cost != 0 ? worst.costs[j] : 0.0));
    }
    return scores[0];
}

// The right prefix of `steps` steps against another way: moves, from where they part, and the labels of the right prefix.
template <class S>
void TransitionProblem::prefixes(State& s, const std::vector<Beam::Made>& guess, std::size_t steps, Output& y) const {
    const std::size_t i = s.example;
    const SentenceViews views = sentence(i);
    const FloatWeights w = weights(s);
    Configuration c;
    bool parted = guess.empty();
    std::size_t apart = steps;
    c.start(n_tokens(i), S::root_last);
    double wrong_labels = 0;
    for (std::size_t t = 0; t < steps; ++t) {
        const std::uint32_t step = paths_[path_rows_[i] + t].load(std::memory_order_relaxed);
        const Kind kind = static_cast<Kind>(step & 3);
        const std::int32_t label = static_cast<std::int32_t>(step >> 4) - 1;
        const std::size_t move = set_.move(kind, label);
        if (!parted && (t >= guess.size() || guess[t].move != move)) parted = true, apart = t;
        if (!guess.empty() && parted) {
            f_.moves(views, c, s.look.room, [](std::int32_t) {});
            y.changes.push_back({y.rows.size(), s.look.room.n, static_cast<std::int32_t>(move), kNone, false});
            y.rows.insert(y.rows.end(), s.look.room.rows, s.look.room.rows + s.look.room.n);
        }
        if (kind >= kLeft && set_.members[set_.group_of[label]].size() > 1) {
            look_at_labels(f_, w, views, c, S::arc(c, kind), s.look);
            const std::int32_t best = best_label(set_.members[set_.group_of[label]], s.look.labels.data());
            if (best != label) {
                y.change(s.look.room, label, best, true);
                wrong_labels += 1;
            }
        }
        S::apply(c, kind, label);
    }
    c.start(n_tokens(i), S::root_last);
    for (std::size_t t = 0; t < guess.size() && t < steps + guess.size(); ++t) {
        const Kind kind = set_.kind(guess[t].move);
        if (t >= apart) {
            f_.moves(views, c, s.look.room, [](std::int32_t) {});
            y.changes.push_back({y.rows.size(), s.look.room.n, kNone, static_cast<std::int32_t>(guess[t].move), false});
            y.rows.insert(y.rows.end(), s.look.room.rows, s.look.room.rows + s.look.room.n);
        }
        S::apply(c, kind, guess[t].label);
    }
    y.loss = wrong_labels;
}

// The sums of the steps, all or over what is right, and the probabilities of moves and labels.
double TransitionProblem::sums(State& s, float* parts, bool right) const {
    require_steps("a sum over outputs");
    std::fill_n(parts, n_parts(s.example), 0.0f);
    double total = 0;
    const auto softmax = [&](const float* scores, float* out, std::size_t n, auto&& counts) {
        float top = -std::numeric_limits<float>::infinity();
        for (std::size_t y = 0; y < n; ++y)
            if (counts(y)) top = std::max(top, scores[y]);
        double sum = 0;
        for (std::size_t y = 0; y < n; ++y)
            if (counts(y)) sum += out[y] = std::exp(scores[y] - top);
        const float factor = static_cast<float>(1 / sum);
        for (std::size_t y = 0; y < n; ++y) out[y] *= factor;
        return top + std::log(sum);
    };
    for (std::size_t t = 0; t < s.steps.size(); ++t) {
        const Step& step = s.steps[t];
        const float* scores = s.parts.data() + t * step_parts();
        float* out = parts + t * step_parts();
        total += softmax(scores, out, set_.n_moves(), [&](std::size_t m) {
            const Kind kind = set_.kind(m);
            if (!right) return (step.legal & bit(kind)) != 0;
            return (step.right & bit(kind)) && (step.groups[kind] < 0 || step.groups[kind] == set_.group(m));
        });
        if (step.label >= 0)
            total += softmax(scores + set_.move_stride, out + set_.move_stride, set_.n_labels, [&](std::size_t y) {
                return right ? static_cast<std::int32_t>(y) == step.label : set_.group_of[y] == step.group;
            });
    }
    return total;
}

double TransitionProblem::risk(State&, float*) const {
    throw std::invalid_argument("the expected loss is not known for transition-based parsers: take another learner");
}

// Along the oracle's way, every wrong move and every wrong label costs 1: what right outputs never have.
double TransitionProblem::part_costs(std::size_t i, float* parts) const {
    State s;
    set_scores(s, i, std::vector<float>(n_parts(i), 0.0f).data());
    gold_marginals(s, parts);
    for (std::size_t k = 0; k < n_parts(i); ++k) parts[k] = parts[k] > 0 ? 0.0f : 1.0f;
    return 0;
}

void TransitionProblem::pullback(std::size_t i, const float* parts, float step, float* g) const {
    replay(i, [&](std::size_t t, bool of_labels, const TransitionFeatures::Room& room) {
        const float* d = parts + t * step_parts() + (of_labels ? set_.move_stride : 0);
        const std::size_t S = of_labels ? set_.label_stride : set_.move_stride;
        bool any = false;
        for (std::size_t y = 0; y < S; ++y) any |= d[y] != 0;
        if (!any) return;
        const auto n = static_cast<std::int64_t>(room.n);
        const std::size_t at = of_labels ? labels_at_ : 0;
        if (free_) rows::add_masked(g + at, free_ + at, S, room.rows, nullptr, n, d, step);
        else rows::add(g + at, S, room.rows, nullptr, n, n, d, step);
    });
}

void TransitionProblem::pullback_block(std::size_t begin, std::size_t end, const float* parts, int, float* g) const {
    for (std::size_t i = begin; i < end; ++i) {
        pullback(i, parts, 1.0f, g);
        parts += n_parts(i);
    }
}

}  // namespace palmette
