#include "structures/transitions/memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/parallel.hpp"
#include "learning/information_gain.hpp"

namespace palmette {
namespace {

constexpr std::size_t kKeys = 3;
constexpr int kBits = 28;  // of a value: few enough collisions

}  // namespace

TransitionMemory::TransitionMemory(System system, const std::vector<std::string>& atoms, const TokenViews& views, const std::int32_t* heads, const std::int32_t* labels)
    : system_(system), features_(atoms, {"d.t"}, kBits, 4), n_(atoms.size()), stride_(padded(atoms.size())) {
    if (n_ < kKeys) throw std::invalid_argument("there must be at least three atoms");
    TransitionFeatures::Room room;
    std::vector<std::uint32_t> x(stride_, 0);
    std::vector<Kind> kinds;
    GoldTree gold;
    for (std::size_t i = 0; i < views.n_sentences; ++i) {
        const std::size_t n = views.length(i);
        const std::int64_t first = views.offsets[i];
        gold.set({heads + first, n}, {labels + first, n});
        if (!oracle(system, gold, kinds)) throw std::invalid_argument("sentence " + std::to_string(i + 1) + ": its tree cannot be made by this transition system");
        with_system(system, [&](auto policy) {
            using S = decltype(policy);
            Configuration c;
            c.start(n, S::root_last);
            for (const Kind kind : kinds) {
                const std::int32_t label = kind >= kLeft ? gold.labels[S::arc(c, kind).word] : kNone;
                look({&views, first}, c, room, x.data());
                values_.insert(values_.end(), x.begin(), x.end());
                classes_.push_back(static_cast<std::uint32_t>(kind) + 4 * static_cast<std::uint32_t>(label + 1));
                S::apply(c, kind, label);
            }
        });
    }
    if (classes_.empty()) throw std::invalid_argument("there is nothing to remember");
    sort_and_weigh();
}

void TransitionMemory::look(const SentenceViews& s, const Configuration& c, TransitionFeatures::Room& room, std::uint32_t* out) const {
    features_.moves(s, c, room, [](std::int32_t) {}, true);
    std::fill_n(out, stride_, 0u);
    for (std::size_t k = 0; k < room.n; ++k) out[room.sources[k]] = static_cast<std::uint32_t>(room.rows[k]) + 1;
}

void TransitionMemory::sort_and_weigh() {
    const std::size_t N = classes_.size();
    std::vector<std::uint32_t> order(N);
    std::iota(order.begin(), order.end(), 0u);
    const auto row = [&](std::uint32_t at) { return values_.data() + static_cast<std::size_t>(at) * stride_; };
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return std::lexicographical_compare(row(a), row(a) + kKeys, row(b), row(b) + kKeys); });
    std::vector<std::uint32_t> values, classes;
    values.reserve(values_.size());
    classes.reserve(N);
    for (const std::uint32_t at : order) {
        values.insert(values.end(), row(at), row(at) + stride_);
        classes.push_back(classes_[at]);
    }
    values_ = std::move(values);
    classes_ = std::move(classes);
    // Gain ratios.
    gains_.assign(stride_, 0.0f);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(N);
    for (std::size_t f = 0; f < n_; ++f) {
        for (std::size_t t = 0; t < N; ++t) pairs[t] = {values_[t * stride_ + f], classes_[t]};
        gains_[f] = static_cast<float>(information_gain(pairs).ratio());
    }
}

std::pair<Kind, std::int32_t> TransitionMemory::choose(const std::uint32_t* x, KindSet legal, std::size_t k, std::vector<Neighbour>& near) const {
    const std::size_t N = classes_.size();
    const auto bound = [&](std::size_t keys, bool after) {
        std::size_t low = 0, high = N;
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            const std::uint32_t* y = values_.data() + middle * stride_;
            const bool right = after ? !std::lexicographical_compare(x, x + keys, y, y + keys) : std::lexicographical_compare(y, y + keys, x, x + keys);
            if (right) low = middle + 1;
            else high = middle;
        }
        return low;
    };
    const auto nearer = [](const Neighbour& a, const Neighbour& b) { return a.distance != b.distance ? a.distance < b.distance : a.place < b.place; };
    for (std::size_t keys = kKeys + 1; keys-- > 0;) {
        near.clear();
        for (std::size_t t = bound(keys, false), end = bound(keys, true); t < end; ++t) {
            if (!(legal & 1u << (classes_[t] & 3))) continue;
            const std::uint32_t* y = values_.data() + t * stride_;
            float distance = 0;
            for (std::size_t f = 0; f < stride_; ++f) distance += x[f] != y[f] ? gains_[f] : 0.0f;
            const Neighbour found{distance, static_cast<std::uint32_t>(t)};
            if (near.size() == k && !nearer(found, near.back())) continue;
            if (near.size() == k) near.pop_back();
            near.insert(std::upper_bound(near.begin(), near.end(), found, nearer), found);
        }
        if (near.size() == k || (keys == 0 && !near.empty())) {
            std::uint32_t best = classes_[near[0].place];
            double most = 0;
            for (const Neighbour& a : near) {
                double votes = 0;
                for (const Neighbour& b : near)
                    if (classes_[b.place] == classes_[a.place]) votes += 1 / (b.distance + 1e-3);
                if (votes > most) most = votes, best = classes_[a.place];
            }
            return {static_cast<Kind>(best & 3), static_cast<std::int32_t>(best >> 2) - 1};
        }
    }
    // No step that was seen is legal here.
    for (const Kind kind : {kShift, kThird, kLeft, kRight})
        if (legal & bit(kind)) return {kind, kind >= kLeft ? 0 : kNone};
    return {kShift, kNone};
}

void TransitionMemory::parse(const TokenViews& views, std::size_t k, int n_jobs, std::int32_t* heads, std::int32_t* labels) const {
    constexpr std::size_t kPieces = 64;
    const std::size_t size = views.n_sentences, pieces = std::min(kPieces, size);
    with_system(system_, [&](auto policy) {
        using S = decltype(policy);
        parallel(pieces, n_jobs, [&](std::size_t piece, std::size_t) {
            TransitionFeatures::Room room;
            std::vector<std::uint32_t> x(stride_);
            std::vector<Neighbour> near;
            Configuration c;
            for (std::size_t i = size * piece / pieces; i < size * (piece + 1) / pieces; ++i) {
                c.start(views.length(i), S::root_last);
                while (!S::finished(c)) {
                    look({&views, views.offsets[i]}, c, room, x.data());
                    const auto [kind, label] = choose(x.data(), S::legal(c), k, near);
                    S::apply(c, kind, label);
                }
                for (std::int32_t w = 1; w <= c.n; ++w) {
                    heads[views.offsets[i] + w - 1] = c.words[w].head;
                    labels[views.offsets[i] + w - 1] = c.words[w].label;
                }
            }
        });
    });
}

}  // namespace palmette
