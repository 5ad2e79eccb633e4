#include "features/relation_features.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace palmette {

void TreeContext::set(const std::int32_t* heads, std::size_t n) {
    for (auto& list : children) list.clear();
    if (children.size() < n + 1) children.resize(n + 1);
    for (std::size_t m = 1; m <= n; ++m) children[static_cast<std::size_t>(heads[m - 1])].push_back(static_cast<std::int32_t>(m));
}

LabelAttributes label_attributes(const TokenViews& views, const std::int32_t* heads, unsigned bits, int n_jobs) {
    constexpr std::size_t kPieces = 64;
    const std::size_t pieces = std::min(kPieces, views.n_sentences);
    std::vector<LabelAttributes> found(pieces);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        ArcFeatures f;
        TreeContext tree;
        LabelAttributes& to = found[piece];
        for (std::size_t i = views.n_sentences * piece / pieces; i < views.n_sentences * (piece + 1) / pieces; ++i) {
            f.set(views, i);
            const std::int32_t* of = heads + views.offsets[i];
            tree.set(of, views.length(i));
            for (std::size_t m = 1; m <= views.length(i); ++m) {
                label_context(f, tree, of, m, [&](std::size_t, std::uint64_t key) { to.attributes.push_back(static_cast<std::int32_t>(key >> (64 - bits))); });
                to.rows.push_back(static_cast<std::int64_t>(to.attributes.size()));
            }
        }
    });
    LabelAttributes all;
    for (const LabelAttributes& piece : found) {
        const std::int64_t before = static_cast<std::int64_t>(all.attributes.size());
        for (std::size_t k = 1; k < piece.rows.size(); ++k) all.rows.push_back(before + piece.rows[k]);
        all.attributes.insert(all.attributes.end(), piece.attributes.begin(), piece.attributes.end());
    }
    return all;
}

}  // namespace palmette
