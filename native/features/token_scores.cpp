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

void add_row(const float* weights, std::size_t S, std::int32_t id, float* sum) {
    if (id < 0) return;
    const float* row = weights + static_cast<std::size_t>(id) * S;
    for (std::size_t y = 0; y < S; ++y) sum[y] += row[y];
}

void fill(Group& group, const FeatureTable& table, const float* weights, std::size_t S) {
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
            if (const std::int32_t value = values->of_type[type]; value >= 0) add_row(weights, S, ids[value], group.sums.data() + type * S);
    }
    const int reach = std::abs(group.offset);
    group.outside.assign(reach * S, 0.0f);
    for (int d = 1; d <= reach; ++d)
        for (const auto& [seed, values] : group.templates)
            add_row(weights, S, table.find(attribute_key(seed, boundary_hash(group.offset < 0 ? -d : d))), group.outside.data() + (d - 1) * S);
}

}  // namespace

std::vector<float> score_tokens(const FeatureTable& table, std::span<const std::int64_t> offsets, std::span<const View> views,
                                std::span<const Template> templates, const float* weights, std::size_t S, int n_jobs) {
    std::vector<float> constant(S, 0.0f);
    std::map<std::tuple<const std::int32_t*, std::size_t, std::int32_t>, std::size_t> group_of;
    std::vector<Group> groups;
    std::vector<Template> several;
    for (const Template& t : templates) {
        if (t.parts.empty()) {
            add_row(weights, S, table.find(t.seed ? t.seed : 1), constant.data());
        } else if (t.parts.size() > 1) {
            several.push_back(t);
        } else {
            const View& view = views[t.parts[0].view];
            const auto [at, is_new] = group_of.try_emplace({view.types.data(), view.values->of_type.size(), t.parts[0].offset}, groups.size());
            if (is_new) groups.push_back({view.types.data(), t.parts[0].offset, {}, {}, {}});
            groups[at->second].templates.emplace_back(t.seed, view.values);
        }
    }
    parallel(groups.size(), n_jobs, [&](std::size_t g, std::size_t) { fill(groups[g], table, weights, S); });
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
                    rows::sum(weights, S, rows.attributes.data() + rows.rows[t], nullptr, rows.rows[t + 1] - rows.rows[t],
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

}  // namespace palmette
