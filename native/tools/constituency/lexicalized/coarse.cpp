#include "tools/constituency/lexicalized/coarse.hpp"

#include <algorithm>
#include <set>

namespace palmette {
namespace {

constexpr float kFragment = 1e-4f;

}  // namespace

CoarseModel::CoarseModel(const LexicalizedModel& model) : labels(model.labels) {
    const int32_t n = labels.size();
    phrase_of.assign(n, -1);
    for (int32_t l = 0; l < n; ++l)
        if (!labels.is_tag[l]) {
            phrase_of[l] = static_cast<int32_t>(phrases.size());
            phrases.push_back(l);
        }
    const size_t m = phrases.size();
    std::vector<float> p(n + 1);
    Variables v;
    // Nothing occurred with these, so that chains end where they would come in.
    const auto ask = [&](const Backoff& chain) {
        std::fill(p.begin(), p.end(), 0.0f);
        chain.distribution(v.data(), p.data(), n + 1);
    };
    head.assign(n * m, 0.0f);
    side[0] = side[1] = head;
    for (size_t x = 0; x < m; ++x) {
        v.fill(kNever);
        v[vX] = phrases[x];
        ask(model.coarse[kHead]);
        for (int32_t y = 0; y < n; ++y) head[y * m + x] = p[y];
        for (const int s : {0, 1}) {
            ask(model.coarse[kLeft + s]);
            for (int32_t y = 0; y < n; ++y) side[s][y * m + x] = p[y];
            stop[s].push_back(p[n]);
        }
    }
    // Anything may be below the root, so that words that no tree covers get fragments side by side.
    const int32_t root = labels.root;
    for (int32_t y = 0; y < n; ++y) {
        if (y == root) continue;
        head[y * m + phrase_of[root]] += kFragment;
        side[1][y * m + phrase_of[root]] += kFragment;
    }
    std::set<std::array<int32_t, 2>> below(model.pairs.begin(), model.pairs.end());
    for (const int32_t x : phrases)
        if (x != root) below.insert({x, root});
    pairs_of.resize(n);
    for (const auto& [x, parent] : below) {
        pairs_of[x].push_back(static_cast<int32_t>(pairs.size()));
        pairs.push_back({x, parent});
    }
    std::vector<std::set<int32_t>> lasts[2];
    lasts[0].resize(n);
    lasts[1].resize(n);
    for (const auto& [s, x, last, made] : model.lasts) lasts[s][x].insert(last * 2 + made);
    for (int32_t y = 0; y < n; ++y) {
        if (y == root) continue;
        lasts[0][root].insert(y * 2);
        lasts[1][root].insert({y * 2, y * 2 + 1});
    }
    for (auto& r : rows) r.assign(pairs.size() * n * 2, -1);
    int32_t count = 0;
    for (size_t q = 0; q < pairs.size(); ++q) {
        v.fill(kNever);
        v[vX] = pairs[q].label;
        v[vP] = pairs[q].parent;
        const float rest = pairs[q].label == root ? kFragment : 0.0f;
        ask(model.coarse[kHead]);
        for (int32_t y = 0; y < n; ++y) p[y] += y == root ? 0.0f : rest;
        pair_head.insert(pair_head.end(), p.begin(), p.begin() + n);
        for (const int s : {0, 1}) {
            ask(model.coarse_pairs[s]);
            for (int32_t y = 0; y < n && s == 1; ++y) p[y] += y == root ? 0.0f : rest;
            pair_side[s].insert(pair_side[s].end(), p.begin(), p.begin() + n);
            pair_stop[s].push_back(p[n]);
        }
        for (const int s : {0, 1})
            for (const int32_t code : lasts[s][pairs[q].label]) {
                v[vP1] = code / 2;
                v[vMade] = code % 2;
                ask(model.coarse[kLeft + s]);
                for (int32_t y = 0; y < n && s == 1; ++y) p[y] += y == root ? 0.0f : rest;
                if (rest > 0.0f) p[n] = std::max(p[n], kFragment);
                next.insert(next.end(), p.begin(), p.end());
                rows[s][q * n * 2 + code] = count++;
            }
    }
}

}  // namespace palmette
