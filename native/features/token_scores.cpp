#include "features/token_scores.hpp"

#include <map>
#include <tuple>

#include "base/parallel.hpp"
#include "base/rows.hpp"

namespace palmette {
namespace {

// What the templates of one column and offset add, by type; then by distance beyond the sentence's edge.
struct Group {
    const std::int32_t* types;
    std::int32_t offset;
    std::vector<std::pair<std::uint64_t, const FeatureValues*>> templates;  // seed and view
    std::vector<float> sums, outside;
};

// Rows that all lie in full, with what the loops below ask of a table of weights.
class FullRows {
public:
    FullRows(const float* weights, std::size_t stride) : weights_(weights), stride_(stride) {}
    std::size_t stride() const { return stride_; }
    void add(std::size_t r, float* sum) const {
        const float* row = weights_ + r * stride_;
        for (std::size_t y = 0; y < stride_; ++y) sum[y] += row[y];
    }
    // out = Σ rows of n ids, of `more` that lie there.
    void sum(const std::int32_t* ids, std::int64_t n, std::int64_t more, float* out) const {
        rows::sum(weights_, stride_, ids, nullptr, n, more, out);
    }

private:
    const float* weights_;
    std::size_t stride_;
};

class FewEntries {
public:
    explicit FewEntries(const SparseRows& rows) : rows_(rows) {}
    std::size_t stride() const { return rows_.stride(); }
    void add(std::size_t r, float* sum) const { rows_.add(r, sum); }
    void sum(const std::int32_t* ids, std::int64_t n, std::int64_t more, float* out) const {
        std::fill_n(out, stride(), 0.0f);
        for (std::int64_t k = 0; k < n; ++k) {
            if (k + 2 * rows::kAhead < more) rows_.fetch_row(ids[k + 2 * rows::kAhead]);
            if (k + rows::kAhead < more) rows_.fetch_entries(ids[k + rows::kAhead]);
            rows_.add(ids[k], out);
        }
    }

private:
    const SparseRows& rows_;
};

template <class Weights>
void add_row(const Weights& weights, std::int32_t id, float* sum) {
    if (id >= 0) weights.add(static_cast<std::size_t>(id), sum);
}

template <class Weights>
void fill(Group& group, const FeatureTable& table, const Weights& weights) {
    const std::size_t S = weights.stride();
    const std::size_t n_types = group.templates[0].second->of_type.size();
    group.sums.assign(n_types * S, 0.0f);
    std::vector<std::int32_t> ids;
    for (const auto& [seed, values] : group.templates) {
        // An attribute's id by value first: types share values, and the lookups hide each other.
        const std::int32_t n = values->n_values();
        ids.resize(n);
        constexpr std::int32_t kAhead = 16;
        for (std::int32_t v = 0; v < n; ++v) {
            if (v + kAhead < n) table.prefetch(attribute_key(seed, values->hashes[v + kAhead]));
            ids[v] = table.find(attribute_key(seed, values->hashes[v]));
        }
        for (std::size_t type = 0; type < n_types; ++type)
            if (const std::int32_t value = values->of_type[type]; value >= 0) add_row(weights, ids[value], group.sums.data() + type * S);
    }
    const int reach = std::abs(group.offset);
    group.outside.assign(reach * S, 0.0f);
    for (int d = 1; d <= reach; ++d)
        for (const auto& [seed, values] : group.templates)
            add_row(weights, table.find(attribute_key(seed, boundary_hash(group.offset < 0 ? -d : d))), group.outside.data() + (d - 1) * S);
}

template <class Weights>
std::vector<float> scored(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
                          std::span<const Template> templates, const Weights& weights, int n_jobs) {
    const std::size_t S = weights.stride();
    std::vector<float> constant(S, 0.0f);
    std::map<std::tuple<const std::int32_t*, std::size_t, std::int32_t>, std::size_t> group_of;
    std::vector<Group> groups;
    std::vector<Template> several;
    for (const Template& t : templates) {
        if (t.parts.empty()) {
            add_row(weights, table.find(t.seed ? t.seed : 1), constant.data());
        } else if (t.parts.size() > 1) {
            several.push_back(t);
        } else {
            const View& view = views[t.parts[0].view];
            const auto [at, is_new] = group_of.try_emplace({view.types.data(), view.values->of_type.size(), t.parts[0].offset}, groups.size());
            if (is_new) groups.push_back({view.types.data(), t.parts[0].offset, {}, {}, {}});
            groups[at->second].templates.emplace_back(t.seed, view.values);
        }
    }
    parallel(groups.size(), n_jobs, [&](std::size_t g, std::size_t) { fill(groups[g], table, weights); });
    const Rows rows = several.empty() ? Rows{} : look_up(table, offsets, views, several);

    std::vector<float> scores(offsets.back() * S);
    constexpr std::size_t kPieces = 64;
    const std::size_t n = offsets.size() - 1, pieces = std::min(kPieces, n);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        for (std::size_t s = n * piece / pieces; s < n * (piece + 1) / pieces; ++s)
            for (std::int64_t t = offsets[s]; t < offsets[s + 1]; ++t) {
                float* out = scores.data() + t * S;
                if (several.empty())
                    std::fill_n(out, S, 0.0f);
                else
                    weights.sum(rows.attributes.data() + rows.rows[t], rows.rows[t + 1] - rows.rows[t],
                                static_cast<std::int64_t>(rows.attributes.size()) - rows.rows[t], out);
                for (std::size_t y = 0; y < S; ++y) out[y] += constant[y];
                for (const Group& group : groups) {
                    const std::int64_t at = t + group.offset;
                    const float* sum = at < offsets[s]        ? group.outside.data() + (offsets[s] - at - 1) * S
                                       : at >= offsets[s + 1] ? group.outside.data() + (at - offsets[s + 1]) * S
                                                              : group.sums.data() + group.types[at] * S;
                    for (std::size_t y = 0; y < S; ++y) out[y] += sum[y];
                }
            }
    });
    return scores;
}

}  // namespace

std::vector<float> score_tokens(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
                                std::span<const Template> templates, const float* weights, std::size_t stride, int n_jobs) {
    return scored(table, offsets, views, templates, FullRows(weights, stride), n_jobs);
}

std::vector<float> score_tokens(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
                                std::span<const Template> templates, const SparseRows& weights, int n_jobs) {
    return scored(table, offsets, views, templates, FewEntries(weights), n_jobs);
}

}  // namespace palmette
