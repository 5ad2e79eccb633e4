// The learners for transition-based parsing, compiled here once; and the loops over sentences.
#include "transition_learning.hpp"

#include <atomic>

namespace palmette {

PALMETTE_LEARNERS(, TransitionProblem)

std::size_t parse_all(const TransitionTables& model, const TokenViews& views, std::size_t width, const std::int32_t* known, int n_jobs,
                      std::int32_t* heads, std::int32_t* labels, double* scores) {
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
                    scores[i] = greedy_walk<S>(*model.features, *model.moves, model.weights, sentence, n, kept, room.c, room.look,
                                               [](const Configuration&, const Look&, KindSet, std::size_t) {});
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

void parse_kbest(const TransitionTables& model, const TokenViews& views, std::size_t i, std::size_t width, std::size_t k, std::vector<ScoredTree>& trees) {
    with_system(model.system, [&](auto policy) {
        using S = decltype(policy);
        Beam beam;
        beam_search<S>(beam, *model.features, *model.moves, model.weights, SentenceViews{&views, views.offsets[i]}, views.length(i), std::max(width, k), nullptr);
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

void trace(const TransitionTables& model, const TokenViews& views, std::size_t i, std::vector<TracedStep>& steps) {
    with_system(model.system, [&](auto policy) {
        using S = decltype(policy);
        Configuration c;
        Look look;
        const SentenceViews sentence{&views, views.offsets[i]};
        TransitionFeatures::Room again;
        greedy_walk<S>(*model.features, *model.moves, model.weights, sentence, views.length(i), nullptr, c, look,
                       [&](const Configuration& at, const Look& seen, KindSet legal, std::size_t move) {
                           TracedStep step{static_cast<std::int32_t>(move), kNone, kNone, kNone, kNone, {}, {}, {}, {}};
                           const Kind kind = model.moves->kind(move);
                           for (std::size_t m = 0; m < model.moves->n_moves(); ++m)
                               if (m != move && (legal & bit(model.moves->kind(m))) && (step.other < 0 || seen.moves[m] > seen.moves[step.other])) step.other = static_cast<std::int32_t>(m);
                           if (kind >= kLeft) {
                               const Arc arc = S::arc(at, kind);
                               step.head = arc.head;
                               step.word = arc.word;
                           }
                           step.scores.assign(seen.moves.begin(), seen.moves.begin() + static_cast<std::ptrdiff_t>(model.moves->n_moves()));
                           model.features->moves(sentence, at, again, [](std::int32_t) {}, true);
                           step.rows.assign(again.rows, again.rows + again.n);
                           step.sources.assign(again.sources, again.sources + again.n);
                           step.slots.assign(again.words, again.words + kMostSlots);
                           steps.push_back(std::move(step));
                       });
        for (TracedStep& step : steps)
            if (step.word > 0) step.label = c.words[step.word].label;
    });
}

}  // namespace palmette
