#include "tools/alignment/symmetrization.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/parallel.hpp"

namespace palmette {

namespace {

constexpr std::uint8_t kForth = 1, kBack = 2, kFound = 4;

// The grid of one sentence pair: which links either side has, and which are taken.
class Grid {
public:
    void reset(std::size_t l, std::size_t m, const std::int32_t* forth, const std::int32_t* back) {
        l_ = l, m_ = m;
        cells_.assign(l * m, 0);
        source_.assign(l, 0);
        target_.assign(m, 0);
        for (std::size_t j = 0; j < m; ++j)
            if (forth[j] > 0) cells_[static_cast<std::size_t>(forth[j] - 1) * m + j] |= kForth;
        for (std::size_t i = 0; i < l; ++i)
            if (back[i] > 0) cells_[i * m + static_cast<std::size_t>(back[i] - 1)] |= kBack;
    }

    void take_where(auto&& holds) {
        for (std::size_t i = 0; i < l_; ++i)
            for (std::size_t j = 0; j < m_; ++j)
                if (holds(cells_[i * m_ + j])) take(i, j);
    }

    // Neighbours of what is taken that are in the union and have a word that is not linked yet, again and again.
    void grow() {
        static constexpr int kSteps[8][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
        for (bool grew = true; grew;) {
            grew = false;
            round_.clear();
            for (std::size_t cell = 0; cell < cells_.size(); ++cell)
                if (cells_[cell] & kFound) round_.push_back(cell);
            for (const std::size_t cell : round_) {
                for (const auto& [di, dj] : kSteps) {
                    const std::size_t i = cell / m_ + static_cast<std::size_t>(di), j = cell % m_ + static_cast<std::size_t>(dj);
                    if (i >= l_ || j >= m_) continue;  // below zero wraps around, and is beyond the end too
                    const std::uint8_t at = cells_[i * m_ + j];
                    if (!at || at & kFound || (source_[i] && target_[j])) continue;
                    take(i, j);
                    grew = true;
                }
            }
        }
    }

    // Links of one side of which a word is not linked yet, or neither is.
    void finish(std::uint8_t side, bool both) {
        for (std::size_t i = 0; i < l_; ++i)
            for (std::size_t j = 0; j < m_; ++j)
                if (cells_[i * m_ + j] & side && (both ? !source_[i] && !target_[j] : !source_[i] || !target_[j])) take(i, j);
    }

    void links(auto&& on) const {
        for (std::size_t i = 0; i < l_; ++i)
            for (std::size_t j = 0; j < m_; ++j)
                if (cells_[i * m_ + j] & kFound) on(i, j);
    }

private:
    void take(std::size_t i, std::size_t j) {
        cells_[i * m_ + j] |= kFound;
        source_[i] = target_[j] = 1;
    }

    std::size_t l_ = 0, m_ = 0;
    std::vector<std::uint8_t> cells_, source_, target_;
    std::vector<std::size_t> round_;
};

void choose(Grid& grid, Symmetry how) {
    switch (how) {
        case Symmetry::united: return grid.take_where([](std::uint8_t cell) { return cell != 0; });
        case Symmetry::source: return grid.take_where([](std::uint8_t cell) { return (cell & kForth) != 0; });
        case Symmetry::target: return grid.take_where([](std::uint8_t cell) { return (cell & kBack) != 0; });
        default: break;
    }
    grid.take_where([](std::uint8_t cell) { return cell == (kForth | kBack); });
    if (how == Symmetry::intersection) return;
    grid.grow();
    if (how == Symmetry::grow_diag) return;
    grid.finish(kForth, how == Symmetry::grow_diag_final_and);
    grid.finish(kBack, how == Symmetry::grow_diag_final_and);
}

}  // namespace

Links symmetrize(const Side& source, const Side& target, const Directions& both, Symmetry how, float threshold, int n_jobs) {
    const std::size_t n = source.offsets.size() - 1;
    std::vector<std::int64_t> cells_at(n + 1, 0);
    for (std::size_t s = 0; s < n; ++s) cells_at[s + 1] = cells_at[s] + static_cast<std::int64_t>(source.length(s) * target.length(s));
    const std::size_t pieces = std::min<std::size_t>(n, 64);
    std::vector<Links> parts(pieces);
    parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
        Links& part = parts[piece];
        Grid grid;
        for (std::size_t s = n * piece / pieces; s < n * (piece + 1) / pieces; ++s) {
            const std::size_t l = source.length(s), m = target.length(s);
            const auto probability = [&](std::size_t i, std::size_t j) {
                const float p = how == Symmetry::target ? 0 : both.p[static_cast<std::size_t>(cells_at[s]) + i * m + j];
                const float q = how == Symmetry::source ? 0 : both.q[static_cast<std::size_t>(cells_at[s]) + j * l + i];
                return how == Symmetry::source || how == Symmetry::target ? p + q : (p + q) / 2;
            };
            const auto link = [&](std::size_t i, std::size_t j) {
                part.source.push_back(static_cast<std::int32_t>(i));
                part.target.push_back(static_cast<std::int32_t>(j));
                if (!both.p.empty()) part.probability.push_back(probability(i, j));
            };
            if (how == Symmetry::posterior) {
                for (std::size_t i = 0; i < l; ++i)
                    for (std::size_t j = 0; j < m; ++j)
                        if (probability(i, j) > threshold) link(i, j);
            } else {
                grid.reset(l, m, both.forth.data() + target.offsets[s], both.back.data() + source.offsets[s]);
                choose(grid, how);
                grid.links(link);
            }
            part.offsets.push_back(static_cast<std::int64_t>(part.source.size()));
        }
    });
    Links all;
    for (const Links& part : parts) {
        const std::int64_t before = all.offsets.back();
        for (std::size_t s = 1; s < part.offsets.size(); ++s) all.offsets.push_back(before + part.offsets[s]);
        all.source.insert(all.source.end(), part.source.begin(), part.source.end());
        all.target.insert(all.target.end(), part.target.begin(), part.target.end());
        all.probability.insert(all.probability.end(), part.probability.begin(), part.probability.end());
    }
    return all;
}

std::string pharaoh(const Links& links, bool probabilities) {
    std::string text;
    text.reserve(links.source.size() * (probabilities ? 12 : 6) + links.offsets.size());
    char digits[16];
    const auto number = [&](std::int32_t value) { text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr); };
    for (std::size_t s = 0; s + 1 < links.offsets.size(); ++s) {
        for (std::int64_t k = links.offsets[s]; k < links.offsets[s + 1]; ++k) {
            const std::size_t at = static_cast<std::size_t>(k);
            if (k > links.offsets[s]) text.push_back(' ');
            number(links.source[at]);
            text.push_back('-');
            number(links.target[at]);
            if (!probabilities) continue;
            const float p = links.probability[at];
            const auto part = static_cast<std::int32_t>(std::lround(10000 * std::clamp(p > 0 ? p : 0.0f, 0.0f, 1.0f)));
            text += part == 10000 ? ":1." : ":0.";
            for (std::int32_t scale = 1000; scale; scale /= 10) text.push_back(static_cast<char>('0' + part % 10000 / scale % 10));
        }
        text.push_back('\n');
    }
    return text;
}

}  // namespace palmette
