#include "tools/translation/search/batch.hpp"

#include <algorithm>
#include <memory>

#include "base/parallel.hpp"
#include "inference/derivations.hpp"

namespace palmette {

namespace {

using u32 = std::uint32_t;

template <class T>
void extend(std::vector<T>& values, const std::vector<T>& more) {
    values.insert(values.end(), more.begin(), more.end());
}

void extend_starts(std::vector<std::int64_t>& starts, const std::vector<std::int64_t>& more) {
    const std::int64_t base = starts.back();
    for (std::size_t k = 1; k < more.size(); ++k) starts.push_back(base + more[k]);
}

TranslationBatch best_of(Decoder& decoder, const SearchModel& model) {
    TranslationBatch made;
    made.prefix = {decoder.longest_prefix()};
    made.exact = {decoder.is_exact()};
    made.sentence_start.push_back(!decoder.finals().empty());
    if (decoder.finals().empty()) return made;
    const int n = model.layout.size();
    std::vector<double> row(n);
    made.features.assign(n, 0.0);
    const auto add = [&](u32 parent, u32 option) {
        decoder.features(parent, option, row.data());
        for (int k = 0; k < n; ++k) made.features[k] += row[k];
    };
    const u32 last = decoder.finals()[0].hypothesis;
    std::vector<u32> path;
    for (u32 h = last; h; h = decoder.hypotheses()[h].parent) path.push_back(h);
    for (std::size_t k = path.size(); k-- > 0;) {
        const Decoder::Hypothesis& one = decoder.hypotheses()[path[k]];
        add(one.parent, one.option);
        const PhraseOption& option = decoder.options().option(one.option);
        const auto words = decoder.options().target(option.target);
        made.words.insert(made.words.end(), words.begin(), words.end());
        made.begin.push_back(option.begin);
        made.end.push_back(option.end);
        made.pair.push_back(option.pair);
        made.n_words.push_back(static_cast<u32>(words.size()));
    }
    add(last, Decoder::kNone);
    made.word_start.push_back(static_cast<std::int64_t>(made.words.size()));
    made.phrase_start.push_back(static_cast<std::int64_t>(made.begin.size()));
    double score = 0;
    for (int k = 0; k < n; ++k) score += model.weights[k] * made.features[k];
    made.score = {score};
    return made;
}

// Calls work(decoder, sentence number) for every sentence.
template <class Work>
void each_sentence(const SearchModel& model, std::span<const SourceSentence> sentences, bool keep_edges, int n_jobs, Work work) {
    std::vector<std::unique_ptr<Decoder>> decoders(std::max<std::size_t>(1, n_jobs < 1 ? 1 : n_jobs));
    parallel(sentences.size(), n_jobs, [&](std::size_t s, std::size_t thread) {
        if (!decoders[thread]) decoders[thread] = std::make_unique<Decoder>(model);
        decoders[thread]->run(sentences[s], keep_edges);
        work(*decoders[thread], s);
    });
}

TranslationBatch joined(const std::vector<TranslationBatch>& parts, const SearchModel& model) {
    TranslationBatch all;
    for (const TranslationBatch& part : parts) all.append(part);
    all.add_links(model.table);
    return all;
}

}  // namespace

void TranslationBatch::append(const TranslationBatch& other) {
    extend_starts(sentence_start, other.sentence_start);
    extend_starts(word_start, other.word_start);
    extend_starts(phrase_start, other.phrase_start);
    extend(words, other.words);
    extend(begin, other.begin);
    extend(end, other.end);
    extend(pair, other.pair);
    extend(n_words, other.n_words);
    extend(score, other.score);
    extend(features, other.features);
    extend(prefix, other.prefix);
    extend(exact, other.exact);
}

void TranslationBatch::add_links(const PhraseTableView& table) {
    links.clear();
    link_start.assign(1, 0);
    for (std::size_t k = 0; k < pair.size(); ++k) {
        const u32 n_source = end[k] - begin[k];
        if (pair[k] < PhraseOption::kGiven) {
            const auto inside = table.links_of(pair[k], n_source);
            links.insert(links.end(), inside.begin(), inside.end());
        } else {
            for (u32 i = 0; i < std::min(n_source, 256u); ++i)
                for (u32 j = 0; j < std::min(n_words[k], 256u); ++j) links.push_back(static_cast<std::uint16_t>(i << 8 | j));
        }
        link_start.push_back(static_cast<std::int64_t>(links.size()));
    }
}

TranslationBatch translate(const SearchModel& model, std::span<const SourceSentence> sentences, int n_jobs) {
    std::vector<TranslationBatch> parts(sentences.size());
    each_sentence(model, sentences, false, n_jobs, [&](Decoder& decoder, std::size_t s) { parts[s] = best_of(decoder, model); });
    return joined(parts, model);
}

TranslationBatch translate_kbest(const SearchModel& model, std::span<const SourceSentence> sentences, const KBest& wanted,
                                 int n_jobs) {
    std::vector<TranslationBatch> parts(sentences.size());
    each_sentence(model, sentences, true, n_jobs, [&](Decoder& decoder, std::size_t s) {
        parts[s] = kbest_of(graph_of(decoder, sentences[s].size(), model.layout.size()), model.weights, wanted);
        parts[s].prefix = {decoder.longest_prefix()};
    });
    return joined(parts, model);
}

std::vector<SearchGraph> search_graphs(const SearchModel& model, std::span<const SourceSentence> sentences, int n_jobs) {
    std::vector<SearchGraph> graphs(sentences.size());
    each_sentence(model, sentences, true, n_jobs, [&](Decoder& decoder, std::size_t s) {
        graphs[s] = graph_of(decoder, sentences[s].size(), model.layout.size());
    });
    return graphs;
}

TranslationBatch kbest_of(const SearchGraph& graph, std::span<const double> weights, const KBest& wanted) {
    TranslationBatch made;
    made.prefix = {0};
    made.exact = {graph.exact};
    if (graph.graph.root >= 0) {
        const std::vector<double> scores = graph.scores(weights);
        const std::size_t n = weights.size();
        std::vector<std::vector<u32>> seen;
        std::vector<u32> words;
        // Derivations of the same words are met again when more are asked for.
        for (std::int64_t asked = wanted.k, used = 0;; asked = std::min(2 * asked, wanted.k * wanted.factor)) {
            const Derivations found = kbest_derivations(graph.graph, scores, asked);
            const std::int64_t n_found = static_cast<std::int64_t>(found.score.size());
            for (; used < n_found && static_cast<std::int64_t>(made.score.size()) < wanted.k; ++used) {
                const std::int64_t first = found.start[used], last = found.start[used + 1];
                words.clear();
                for (std::int64_t k = last; k-- > first;) {
                    const std::int32_t e = found.edges[k];
                    words.insert(words.end(), graph.words.begin() + graph.word_start[e], graph.words.begin() + graph.word_start[e + 1]);
                }
                if (wanted.distinct) {
                    const auto place = std::lower_bound(seen.begin(), seen.end(), words);
                    if (place != seen.end() && *place == words) continue;
                    seen.insert(place, words);
                }
                made.score.push_back(found.score[used]);
                made.words.insert(made.words.end(), words.begin(), words.end());
                made.word_start.push_back(static_cast<std::int64_t>(made.words.size()));
                made.features.resize(made.features.size() + n, 0.0);
                double* row = &made.features[made.features.size() - n];
                for (std::int64_t k = last; k-- > first;) {
                    const std::int32_t e = found.edges[k];
                    for (std::size_t f = 0; f < n; ++f) row[f] += graph.features[e * n + f];
                    if (graph.pair[e] == Decoder::kNone) continue;
                    made.begin.push_back(graph.begin[e]);
                    made.end.push_back(graph.end[e]);
                    made.pair.push_back(graph.pair[e]);
                    made.n_words.push_back(static_cast<u32>(graph.word_start[e + 1] - graph.word_start[e]));
                }
                made.phrase_start.push_back(static_cast<std::int64_t>(made.begin.size()));
            }
            const bool enough = static_cast<std::int64_t>(made.score.size()) >= wanted.k;
            if (enough || n_found < asked || asked >= wanted.k * wanted.factor) break;
        }
    }
    made.sentence_start.push_back(static_cast<std::int64_t>(made.score.size()));
    return made;
}

}  // namespace palmette
