#include "tools/constituency/lexicalized/backoff.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace palmette {
namespace {

constexpr uint64_t kSeed = 0x70616C6D65747465u;

size_t slot_of(uint64_t key, size_t mask) { return (key * kOdd2 >> 20) & mask; }

}  // namespace

Backoff::Backoff(BackoffChain chain, std::vector<BackoffLevel> levels) : chain_(std::move(chain)), levels_(std::move(levels)) {
    if (chain_.size() != levels_.size()) throw std::invalid_argument("a chain must have as many levels as its counts");
    rows_.resize(levels_.size());
    slots_.resize(levels_.size());
    for (size_t k = 0; k < levels_.size(); ++k) {
        const BackoffLevel& level = levels_[k];
        const size_t n = level.key.size();
        if (level.start.size() != n + 1 || level.start[0] != 0 || level.start[n] != static_cast<int64_t>(level.outcome.size()) || level.count.size() != level.outcome.size() || n > (size_t{1} << 30))
            throw std::invalid_argument("the rows of counts do not fit their outcomes");
        const size_t size = std::bit_ceil(2 * n + 2);
        slots_[k].assign(size, -1);
        for (size_t r = 0; r < n; ++r) {
            if (level.start[r] >= level.start[r + 1]) throw std::invalid_argument("a row of counts is empty");
            for (int64_t i = level.start[r] + 1; i < level.start[r + 1]; ++i)
                if (level.outcome[i - 1] >= level.outcome[i]) throw std::invalid_argument("the outcomes of a row of counts are out of order");
            size_t s = slot_of(level.key[r], size - 1);
            while (slots_[k][s] >= 0) s = (s + 1) & (size - 1);
            slots_[k][s] = static_cast<int32_t>(r);
        }
        set_smoothing(k, level.discount, level.strength);
    }
}

void Backoff::set_smoothing(size_t k, float discount, float strength) {
    BackoffLevel& level = levels_[k];
    level.discount = discount;
    level.strength = strength;
    rows_[k].resize(level.key.size());
    for (size_t r = 0; r < level.key.size(); ++r) {
        double n = 0.0, kept = 0.0;
        for (int64_t i = level.start[r]; i < level.start[r + 1]; ++i) {
            n += level.count[i];
            kept += std::max(0.0f, level.count[i] - discount);
        }
        const double total = n + strength;
        rows_[k][r] = {static_cast<float>(total), static_cast<float>((total - kept) / total)};
    }
}

int64_t Backoff::find(size_t k, uint64_t key) const {
    const auto& slots = slots_[k];
    const size_t mask = slots.size() - 1;
    for (size_t s = slot_of(key, mask); slots[s] >= 0; s = (s + 1) & mask)
        if (levels_[k].key[slots[s]] == key) return slots[s];
    return -1;
}

void Backoff::distribution(const int32_t* variables, float* p, int32_t n) const {
    uint64_t key = kSeed;
    for (size_t k = 0; k < chain_.size(); ++k) {
        key = backoff_key(key, chain_[k], variables);
        const int64_t r = find(k, key);
        if (r < 0) return;
        const BackoffLevel& level = levels_[k];
        const Row row = rows_[k][r];
        for (int32_t o = 0; o < n; ++o) p[o] *= row.rest;
        const float scale = 1.0f / row.total;
        for (int64_t i = level.start[r]; i < level.start[r + 1]; ++i)
            if (static_cast<uint32_t>(level.outcome[i]) < static_cast<uint32_t>(n)) p[level.outcome[i]] += std::max(0.0f, level.count[i] - level.discount) * scale;
    }
}

double Backoff::probability(const int32_t* variables, int32_t outcome, double base) const {
    uint64_t key = kSeed;
    for (size_t k = 0; k < chain_.size(); ++k) {
        key = backoff_key(key, chain_[k], variables);
        const int64_t r = find(k, key);
        if (r < 0) return base;
        const BackoffLevel& level = levels_[k];
        const auto first = level.outcome.begin() + level.start[r], last = level.outcome.begin() + level.start[r + 1];
        const auto at = std::lower_bound(first, last, outcome);
        base *= rows_[k][r].rest;
        if (at != last && *at == outcome) base += std::max(0.0f, level.count[at - level.outcome.begin()] - level.discount) / rows_[k][r].total;
    }
    return base;
}

void BackoffCounter::add(const int32_t* variables, int32_t outcome, float count) {
    uint64_t key = kSeed;
    for (size_t k = 0; k < chain_.size(); ++k) {
        key = backoff_key(key, chain_[k], variables);
        events_[k].push_back({key, outcome, count});
    }
}

Backoff BackoffCounter::finish() {
    std::vector<BackoffLevel> levels(chain_.size());
    for (size_t k = 0; k < chain_.size(); ++k) {
        auto& events = events_[k];
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.key != b.key ? a.key < b.key : a.outcome < b.outcome; });
        BackoffLevel& level = levels[k];
        for (size_t i = 0; i < events.size();) {
            const uint64_t key = events[i].key;
            for (; i < events.size() && events[i].key == key;) {
                const int32_t outcome = events[i].outcome;
                float count = 0.0f;
                for (; i < events.size() && events[i].key == key && events[i].outcome == outcome; ++i) count += events[i].count;
                level.outcome.push_back(outcome);
                level.count.push_back(count);
            }
            level.key.push_back(key);
            level.start.push_back(static_cast<int64_t>(level.outcome.size()));
        }
        events = {};
    }
    return Backoff(chain_, std::move(levels));
}

}  // namespace palmette
