// The learners for transition-based parsing, compiled here once; and the loops over sentences.
#include "structures/transitions/learning.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace palmette {
namespace {

// The probability of all moves of a kind among those of the kinds given.
float share_of(const MoveSet& set, const float* scores, KindSet kinds, Kind kind) {
    const float top = scores[best_move(set, scores, kinds)];
    float of = 0, all = 0;
    for (std::size_t m = 0; m < set.n_moves(); ++m) {
        if (!(kinds & bit(set.kind(m)))) continue;
        const float e = std::exp(scores[m] - top);
        all += e;
        of += set.kind(m) == kind ? e : 0;
    }
    return of / all;
}

}  // namespace

template class LearnableAs<TransitionProblem>;

std::size_t parse_all(const TransitionTables& model, const TokenViews& views, std::size_t width, const std::int32_t* known, int n_jobs,
                      std::int32_t* heads, std::int32_t* labels, double* scores, float* probabilities) {
    constexpr std::size_t kPieces = 64;
    struct Room {
        Configuration c;
        Look look;
        Beam beam;
        GoldTree known;
    };
    std::vector<std::unique_ptr<Room>> rooms;
    for (int job = 0; job < std::max(1, n_jobs); ++job) rooms.push_back(std::make_unique<Room>());
    const std::size_t size = views.n_sentences, pieces = std::min(kPieces, size);
    std::vector<std::size_t> failed(pieces, size);
    with_system(model.system, [&](auto policy) {
        using S = decltype(policy);
        parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t thread) {
            Room& room = *rooms[thread];
            for (std::size_t i = size * piece / pieces; i < size * (piece + 1) / pieces; ++i) {
                const std::size_t n = views.length(i);
                const auto first = static_cast<std::size_t>(views.offsets[i]);
                const SentenceViews sentence{&views, views.offsets[i]};
                const GoldTree* kept = nullptr;
                bool any = false;
                for (std::size_t k = 0; known && k < n; ++k) any |= known[first + k] >= 0;
                if (any) {
                    room.known.set({known + first, n}, {});
                    kept = &room.known;
                }
                const Configuration* found = &room.c;
                if (width == 1) {
                    const auto visit = [&](const Configuration& c, const Look& look, KindSet, std::size_t move) {
                        const Kind kind = model.moves->kind(move);
                        if (!probabilities || kind < kLeft) return;
                        probabilities[first + static_cast<std::size_t>(S::arc(c, kind).word) - 1] = share_of(*model.moves, look.moves.data(), S::legal(c), kind);
                    };
                    scores[i] = greedy_walk<S>(*model.features, *model.moves, model.weights, sentence, n, kept, room.c, room.look, visit);
                } else {
                    beam_search<S>(room.beam, *model.features, *model.moves, model.weights, sentence, n, width, kept);
                    found = &room.beam.items[0].c;
                    scores[i] = room.beam.items[0].score;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    heads[first + k] = found->words[k + 1].head;
                    labels[first + k] = found->words[k + 1].label;
                    if (any && known[first + k] >= 0 && known[first + k] != heads[first + k]) failed[piece] = std::min(failed[piece], i);
                }
            }
        });
    });
    return pieces ? *std::min_element(failed.begin(), failed.end()) : 0;
}

void parse_kbest(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width, std::size_t k, const std::int32_t* known,
                 bool losses, std::vector<ScoredTree>& trees) {
    const std::size_t n = views.length(i);
    GoldTree kept;
    if (known) kept.set({known, n}, {});
    with_system(model.system, [&](auto policy) {
        using S = decltype(policy);
        Beam beam;
        beam.losses = losses;
        beam_search<S>(beam, *model.features, *model.moves, model.weights, SentenceViews{&views, views.offsets[i]}, n, std::max(width, k), known ? &kept : nullptr);
        for (std::size_t j = 0; j < beam.size && trees.size() < k; ++j) {
            ScoredTree tree;
            read_tree(beam.items[j].c, tree);
            tree.score = beam.items[j].score;
            // Several sequences may make one tree.
            const bool seen = std::any_of(trees.begin(), trees.end(), [&](const ScoredTree& t) { return t.heads == tree.heads && t.labels == tree.labels; });
            if (!seen) trees.push_back(std::move(tree));
        }
    });
}

ScoredTree trace(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width, const std::int32_t* known,
                 const std::vector<int>* kinds, bool losses, std::vector<TracedStep>& steps) {
    const std::size_t n = views.length(i);
    const SentenceViews sentence{&views, views.offsets[i]};
    GoldTree kept;
    if (known) kept.set({known, n}, {});
    ScoredTree tree;
    with_system(model.system, [&](auto policy) {
        using S = decltype(policy);
        std::vector<Beam::Made> way;
        Beam beam;
        beam.losses = beam.against_all = losses;
        if (!kinds) {
            beam_search<S>(beam, *model.features, *model.moves, model.weights, sentence, n, width, known ? &kept : nullptr);
            beam.way(beam.items[0].made, way);
        }
        Configuration c;
        Look look;
        look.size(*model.moves);
        c.start(n, S::root_last);
        for (std::size_t t = 0; t < (kinds ? kinds->size() : way.size()); ++t) {
            look_at_moves(*model.features, model.weights, sentence, c, look);
            close_moves<S>(*model.moves, c, S::legal(c), look.moves.data());
            if (kinds && ((*kinds)[t] < 0 || (*kinds)[t] >= kKinds || !(S::legal(c) & 1u << (*kinds)[t])))
                throw std::invalid_argument("transition " + std::to_string(t + 1) + " is not allowed there");
            const std::size_t move = kinds ? best_move(*model.moves, look.moves.data(), bit(static_cast<Kind>((*kinds)[t]))) : way[t].move;
            const std::size_t top = best_move(*model.moves, look.moves.data(), S::legal(c));
            tree.score += look.moves[move] - (losses ? look.moves[top] : 0.0f);
            model.features->moves(sentence, c, look.room, [](std::int32_t) {}, true);
            TracedStep& step = steps.emplace_back();
            step.move = static_cast<std::int32_t>(move);
            step.top = static_cast<std::int32_t>(top);
            step.rows.assign(look.room.rows, look.room.rows + look.room.n);
            step.sources.assign(look.room.sources, look.room.sources + look.room.n);
            step.words.assign(look.room.words, look.room.words + slot_names().size());
            const Kind kind = model.moves->kind(move);
            std::int32_t label = kNone;
            if (kind >= kLeft) label = label_of(*model.features, *model.moves, model.weights, sentence, c, move, S::arc(c, kind), look);
            S::apply(c, kind, label);
        }
        read_tree(c, tree);
    });
    return tree;
}

std::vector<std::vector<BeamCandidate>> trace_beam(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width) {
    const std::size_t n = views.length(i);
    const SentenceViews sentence{&views, views.offsets[i]};
    std::vector<std::vector<BeamCandidate>> steps;
    with_system(model.system, [&](auto policy) {
        using S = decltype(policy);
        Beam beam;
        const std::size_t narrowed = beam_width(width, n);
        start_beam<S>(beam, *model.moves, narrowed, n);
        const auto legal = [&](const Configuration& c) { return keeping<S>(c, nullptr, S::legal(c)); };
        while (step_beam<S>(beam, *model.features, *model.moves, model.weights, sentence, narrowed, 0.0f, legal,
                            [](const Beam::Item&, std::size_t) { return 0; }, [](const Beam::Item&, std::size_t, std::int32_t&) { return false; })) {
            // Only those that are kept are in order.
            std::sort(beam.candidates.begin() + static_cast<std::ptrdiff_t>(beam.size), beam.candidates.end(), [](const Beam::Candidate& a, const Beam::Candidate& b) {
                return a.score != b.score ? a.score > b.score : a.item != b.item ? a.item < b.item : a.move < b.move;
            });
            std::vector<BeamCandidate>& step = steps.emplace_back();
            for (std::size_t k = 0; k < std::min(2 * narrowed, beam.candidates.size()); ++k) {
                const Beam::Candidate& one = beam.candidates[k];
                const bool kept = k < beam.size;
                const bool moved = kept && one.move >= 0;
                step.push_back({one.item, one.move, moved ? beam.made[static_cast<std::size_t>(beam.items[k].made)].label : kNone, one.score, kept});
            }
        }
    });
    return steps;
}

}  // namespace palmette
