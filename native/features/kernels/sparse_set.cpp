#include "features/kernels/sparse_set.hpp"

#include <algorithm>
#include <mutex>

#include "base/mirror.hpp"
#include "base/parallel.hpp"

namespace palmette {

void SparseSet::end_vector() {
    const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(offsets_.back());
    std::stable_sort(begin, entries_.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    auto kept = begin;
    for (auto at = begin; at != entries_.end(); ++at) {
        if (kept != begin && (kept - 1)->key == at->key)
            (kept - 1)->value += at->value;
        else
            *kept++ = *at;
    }
    entries_.erase(kept, entries_.end());
    offsets_.push_back(entries_.size());
    index_.reset();
}

SparseSet ngrams(const SequenceSet& sequences, std::size_t least, std::size_t most) {
    SparseSet made;
    for (std::size_t s = 0; s < sequences.size(); ++s) {
        const std::span<const std::uint64_t> symbols = sequences.symbols(0, s);
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            std::uint64_t key = kOdd;
            for (std::size_t k = 1; k <= most && i + k <= symbols.size(); ++k) {
                key = combine(key, symbols[i + k - 1]);
                if (k >= least) made.push(combine(key, k), 1.0);
            }
        }
        made.end_vector();
    }
    return made;
}

std::shared_ptr<const SparseSet::Index> SparseSet::index() const {
    static std::mutex guard;
    const std::lock_guard lock(guard);
    if (index_) return index_;
    auto made = std::make_shared<Index>();
    for (std::size_t j = 0; j < size(); ++j)
        for (const auto& [key, value] : vector(j)) {
            const std::uint32_t c = made->columns.insert(key, static_cast<std::uint32_t>(made->postings.size()));
            if (c == made->postings.size()) made->postings.emplace_back();
            made->postings[c].push_back({static_cast<std::uint32_t>(j), value});
        }
    index_ = std::move(made);
    return index_;
}

void sparse_gram(const SparseSet& a, const SparseSet& b, int n_jobs, double* out) {
    using Posting = SparseSet::Posting;
    const bool same = &a == &b;
    const std::shared_ptr<const SparseSet::Index> index = b.index();
    const KeyMap& columns = index->columns;
    const std::vector<std::vector<Posting>>& postings = index->postings;
    constexpr std::size_t rows = 16;
    parallel((a.size() + rows - 1) / rows, n_jobs, [&](std::size_t piece, std::size_t) {
        for (std::size_t i = piece * rows; i < std::min(a.size(), (piece + 1) * rows); ++i) {
            double* row = out + i * b.size();
            std::fill_n(row, b.size(), 0.0);
            for (const auto& [key, value] : a.vector(i)) {
                const std::uint32_t c = columns.find(key);
                if (c == KeyMap::kNone) continue;
                auto at = postings[c].begin();
                if (same) at = std::lower_bound(at, postings[c].end(), i, [](const Posting& p, std::size_t j) { return p.vector < j; });
                for (; at != postings[c].end(); ++at) row[at->vector] += value * at->value;
            }
        }
    });
    if (same) mirror(out, a.size(), n_jobs);
}

void sparse_diagonal(const SparseSet& a, double* out) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        out[i] = 0;
        for (const auto& [_, value] : a.vector(i)) out[i] += value * value;
    }
}

namespace {

double squared_distance(std::span<const SparseSet::Entry> x, std::span<const SparseSet::Entry> y) {
    double sum = 0;
    for (std::size_t i = 0, j = 0; i < x.size() || j < y.size();) {
        double difference;
        if (j == y.size() || (i < x.size() && x[i].key < y[j].key))
            difference = x[i++].value;
        else if (i == x.size() || y[j].key < x[i].key)
            difference = y[j++].value;
        else
            difference = x[i++].value - y[j++].value;
        sum += difference * difference;
    }
    return sum;
}

}  // namespace

void sparse_distances(const SparseSet& a, const SparseSet& b, int n_jobs, double* out) {
    constexpr double kTooFew = 1e-7;  // of the squares that are left: nine digits of sixteen are gone
    std::vector<double> rows(a.size()), columns(b.size());
    sparse_diagonal(a, rows.data());
    sparse_diagonal(b, columns.data());
    sparse_gram(a, b, n_jobs, out);
    parallel(a.size(), n_jobs, [&](std::size_t i, std::size_t) {
        double* row = out + i * b.size();
        for (std::size_t j = 0; j < b.size(); ++j) {
            const double squares = rows[i] + columns[j];
            row[j] = squares - 2 * row[j];
            if (row[j] < kTooFew * squares) row[j] = squared_distance(a.vector(i), b.vector(j));
        }
    });
}

void SparseSum::add(const SparseSet& vectors, std::size_t i, double alpha) {
    for (const auto& [key, value] : vectors.vector(i)) {
        std::uint32_t place = places_.find(key);
        if (place == KeyMap::kNone) {  // its room first: where there is none, the key must not be there either
            weights_.push_back(0.0);
            place = places_.insert(key, static_cast<std::uint32_t>(weights_.size() - 1));
        }
        weights_[place] += alpha * value;
    }
}

void SparseSum::score(const SparseSet& vectors, double* out) const {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        out[i] = 0;
        for (const auto& [key, value] : vectors.vector(i)) {
            const std::uint32_t place = places_.find(key);
            if (place != KeyMap::kNone) out[i] += weights_[place] * value;
        }
    }
}

}  // namespace palmette
