#include "features/kernels/fragment_table.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

#include "base/hashing.hpp"
#include "base/parallel.hpp"

namespace palmette {

namespace {

constexpr double kRounding = 1e-14;  // of a sum that would be zero but for the rounding of its terms

// Sequences with the same words, one group for each; empty ones are in none.
std::vector<std::vector<std::size_t>> same_words(const SequenceSet& sequences, std::span<const std::size_t> which) {
    std::vector<std::vector<std::size_t>> groups;
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (std::size_t place = 0; place < which.size(); ++place) {
        const std::span<const std::uint64_t> words = sequences.symbols(1, which[place]);
        if (words.empty()) continue;
        std::uint64_t key = words.size();
        for (std::uint64_t word : words) key = combine(key, word);
        const auto [found, is_new] = known.try_emplace(key, groups.size());
        if (is_new) groups.emplace_back();
        groups[found->second].push_back(place);
    }
    return groups;
}

// Calls each(begin, members of a run) for every place where runs of at most `longest` labels begin, and every distinct one
// of them there; members are places in `which`.
template <class Each>
void distinct_runs(const SequenceSet& sequences, std::span<const std::size_t> which, const std::vector<std::size_t>& group,
                   std::size_t longest, const Each& each) {
    const std::size_t n = sequences.symbols(0, which[group.front()]).size();
    std::vector<std::pair<std::uint64_t, std::size_t>> keyed(group.size());
    std::vector<std::size_t> members;
    for (std::size_t begin = 0; begin < n; ++begin) {
        for (std::size_t k = 0; k < group.size(); ++k) {
            const std::span<const std::uint64_t> labels = sequences.symbols(0, which[group[k]]);
            std::uint64_t key = 0;
            for (std::size_t at = begin; at < std::min(n, begin + longest); ++at) key = combine(key, labels[at]);
            keyed[k] = {key, group[k]};
        }
        std::sort(keyed.begin(), keyed.end());
        for (std::size_t from = 0, to; from < keyed.size(); from = to) {
            members.clear();
            for (to = from; to < keyed.size() && keyed[to].first == keyed[from].first; ++to) members.push_back(keyed[to].second);
            each(begin, members);
        }
    }
}

}  // namespace

FragmentTable::FragmentTable(TaggedFragments kernel) : kernel_(std::move(kernel)), factors_{1.0, 0.0, 0.0} {
    if (kernel_.longest > kLongest) throw std::invalid_argument("the fragments of a table are short");
    std::copy(kernel_.weights.begin(), kernel_.weights.end(), factors_ + 1);
}

FragmentTable::Run FragmentTable::run_of(const SequenceSet& sequences, std::size_t sequence, std::size_t begin) const {
    const std::span<const std::uint64_t> labels = sequences.symbols(0, sequence);
    Run run;
    run.length = std::min(kernel_.longest, labels.size() - begin);
    for (std::size_t at = 0; at < run.length; ++at)
        for (std::size_t c = 0; c < n_columns(); ++c) {
            const std::uint64_t label = combine(c + 1, labels[begin + at]);
            run.keys[at][c] = c ? combine(label, sequences.symbols(c, sequence)[begin + at]) : label;
        }
    return run;
}

void FragmentTable::enter(const Run& run, std::size_t at, std::uint64_t before, double alpha) {
    for (std::size_t c = 0; c < n_columns(); ++c) {
        const std::uint64_t key = combine(before, run.keys[at][c]);
        std::uint32_t place = places_.find(key);
        if (place == KeyMap::kNone) {  // its room first: where there is none, the key must not be there either
            if (weights_.size() == KeyMap::kNone) throw std::length_error("there are too many fragments");
            weights_.push_back(0.0);
            place = places_.insert(key, static_cast<std::uint32_t>(weights_.size() - 1));
        }
        weights_[place] += alpha;
        if (at + 1 < run.length) enter(run, at + 1, key, alpha);
    }
}

double FragmentTable::sum(const Run& run, std::size_t at, std::uint64_t before, double value) const {
    double total = 0;
    for (std::size_t c = 0; c < n_columns(); ++c) {
        const std::uint64_t key = combine(before, run.keys[at][c]);
        const std::uint32_t place = places_.find(key);
        if (place == KeyMap::kNone) continue;
        const double own = value * factors_[c];
        total += own * weights_[place];
        if (at + 1 < run.length) total += sum(run, at + 1, key, own * kernel_.lambda);
    }
    return total;
}

void FragmentTable::list(const Run& run, std::uint64_t before, double value, Amount& now, std::vector<Amount>& found) const {
    const std::size_t at = now.length++;
    for (std::size_t c = 0; c < n_columns(); ++c) {
        const std::uint64_t key = combine(before, run.keys[at][c]);
        const std::uint32_t place = places_.find(key);
        if (place == KeyMap::kNone) continue;
        const double own = value * factors_[c];
        now.kinds[at] = static_cast<std::uint8_t>(c);
        now.value = own * weights_[place];
        found.push_back(now);
        if (at + 1 < run.length) list(run, key, own * kernel_.lambda, now, found);
    }
    now.length = at;
}

std::vector<FragmentTable::Amount> FragmentTable::amounts(const SequenceSet& sequences, std::size_t sequence) const {
    const std::shared_lock lock(guard_);
    std::vector<Amount> found;
    Amount now{};
    for (now.begin = 0; now.begin < sequences.symbols(0, sequence).size(); ++now.begin)
        list(run_of(sequences, sequence, now.begin), 0, 1.0, now, found);
    return found;
}

void FragmentTable::add(const SequenceSet& sequences, std::span<const std::int64_t> which, std::span<const double> alphas) {
    const std::unique_lock lock(guard_);
    const std::vector<std::size_t> chosen(which.begin(), which.end());
    for (const std::vector<std::size_t>& group : same_words(sequences, chosen))
        distinct_runs(sequences, chosen, group, kernel_.longest, [&](std::size_t begin, const std::vector<std::size_t>& members) {
            double alpha = 0, size = 0;
            for (std::size_t place : members) {
                alpha += alphas[place];
                size += std::abs(alphas[place]);
            }
            if (std::abs(alpha) > kRounding * size) enter(run_of(sequences, chosen[members.front()], begin), 0, 0, alpha);
        });
}

void FragmentTable::score(const SequenceSet& sequences, int n_jobs, double* out) const {
    const std::shared_lock lock(guard_);
    std::vector<std::size_t> all(sequences.size());
    for (std::size_t s = 0; s < all.size(); ++s) all[s] = s;
    std::fill(out, out + all.size(), 0.0);
    const std::vector<std::vector<std::size_t>> groups = same_words(sequences, all);
    parallel(groups.size(), n_jobs, [&](std::size_t g, std::size_t) {
        distinct_runs(sequences, all, groups[g], kernel_.longest, [&](std::size_t begin, const std::vector<std::size_t>& members) {
            const double value = sum(run_of(sequences, members.front(), begin), 0, 0, 1.0);
            for (std::size_t s : members) out[s] += value;
        });
    });
}

}  // namespace palmette
