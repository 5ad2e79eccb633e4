#include "tools/alignment/word_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace palmette {
namespace {

double plogp(std::int64_t n) { return n > 1 ? static_cast<double>(n) * std::log(static_cast<double>(n)) : 0.0; }

// n log n, from a table where n is small.
class Entropies {
public:
    Entropies() {
        for (std::size_t n = 0; n < table_.size(); ++n) table_[n] = plogp(static_cast<std::int64_t>(n));
    }
    double operator()(std::int64_t n) const { return n < static_cast<std::int64_t>(table_.size()) ? table_[static_cast<std::size_t>(n)] : plogp(n); }

private:
    std::vector<double> table_ = std::vector<double>(1 << 14);
};

// The bigrams of a text in rows: for each word its neighbours on one side, with counts.
struct Neighbours {
    std::vector<std::int64_t> first;
    std::vector<std::pair<std::int32_t, std::int32_t>> of;  // word, count
};

Neighbours neighbours(std::vector<std::pair<std::int32_t, std::int32_t>> bigrams, std::size_t n_words) {
    std::sort(bigrams.begin(), bigrams.end());
    Neighbours made;
    made.first.assign(n_words + 1, 0);
    for (std::size_t k = 0; k < bigrams.size();) {
        std::size_t end = k;
        while (end < bigrams.size() && bigrams[end] == bigrams[k]) ++end;
        made.of.emplace_back(bigrams[k].second, static_cast<std::int32_t>(end - k));
        ++made.first[static_cast<std::size_t>(bigrams[k].first) + 1];
        k = end;
    }
    std::partial_sum(made.first.begin(), made.first.end(), made.first.begin());
    return made;
}

class Exchange {
public:
    Exchange(std::span<const std::int64_t> offsets, std::span<const std::int32_t> words, std::size_t n_words, std::size_t n_classes)
        : n_(n_classes + 1), edge_(n_words), class_of_(n_words + 1, static_cast<std::int32_t>(n_classes)), uses_(n_words, 0) {
        std::vector<std::pair<std::int32_t, std::int32_t>> right, left;
        for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
            auto before = static_cast<std::int32_t>(edge_);
            for (std::int64_t k = offsets[s]; k <= offsets[s + 1]; ++k) {
                const std::int32_t word = k < offsets[s + 1] ? words[static_cast<std::size_t>(k)] : static_cast<std::int32_t>(edge_);
                right.emplace_back(before, word);
                left.emplace_back(word, before);
                if (k < offsets[s + 1]) ++uses_[static_cast<std::size_t>(word)];
                before = word;
            }
        }
        right_ = neighbours(std::move(right), n_words + 1);
        left_ = neighbours(std::move(left), n_words + 1);
        order_.resize(n_words);
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return uses_[a] > uses_[b]; });
        for (std::size_t rank = 0; rank < n_words; ++rank) class_of_[order_[rank]] = static_cast<std::int32_t>(rank % n_classes);
        pairs_.assign(n_ * n_, 0);
        before_.assign(n_, 0);
        after_.assign(n_, 0);
        for (std::size_t word = 0; word <= n_words; ++word)
            for (std::int64_t k = right_.first[word]; k < right_.first[word + 1]; ++k) {
                const auto [next, count] = right_.of[static_cast<std::size_t>(k)];
                const std::size_t c = kind(word), d = kind(static_cast<std::size_t>(next));
                pairs_[c * n_ + d] += count;
                before_[c] += count;
                after_[d] += count;
            }
    }

    // Every word once; how many moved.
    std::size_t pass() {
        std::size_t moved = 0;
        for (const std::size_t word : order_) {
            if (!uses_[word]) continue;
            const std::size_t was = kind(word);
            look_around(word);
            shift(was, -1);
            // What the sums gain when the word comes to a class.
            std::size_t best = was;
            double most = gain(was) + 1e-9;
            for (std::size_t c = 0; c + 1 < n_; ++c)
                if (c != was)
                    if (const double value = gain(c); value > most) most = value, best = c;
            shift(best, 1);
            class_of_[word] = static_cast<std::int32_t>(best);
            moved += best != was;
        }
        return moved;
    }

    double log_likelihood() const {
        double sum = 0;
        for (const std::int64_t n : pairs_) sum += plogp(n);
        for (std::size_t c = 0; c < n_; ++c) sum -= plogp(before_[c]) + plogp(after_[c]);
        return sum;
    }

    std::vector<std::int32_t> classes() const { return {class_of_.begin(), class_of_.end() - 1}; }

private:
    std::size_t kind(std::size_t word) const { return static_cast<std::size_t>(class_of_[word]); }

    // The classes to the left and right of a word with counts, and how often it follows itself.
    void look_around(std::size_t word) {
        self_ = 0;
        const auto gather = [&](const Neighbours& side, std::vector<std::pair<std::size_t, std::int64_t>>& out) {
            out.clear();
            sum_.assign(n_, 0);
            for (std::int64_t k = side.first[word]; k < side.first[word + 1]; ++k) {
                const auto [other, count] = side.of[static_cast<std::size_t>(k)];
                if (static_cast<std::size_t>(other) == word) self_ = count;
                else sum_[kind(static_cast<std::size_t>(other))] += count;
            }
            for (std::size_t c = 0; c < n_; ++c)
                if (sum_[c]) out.emplace_back(c, sum_[c]);
        };
        gather(left_, from_);
        gather(right_, to_);
        n_from_ = n_to_ = self_;
        for (const auto& [c, count] : from_) n_from_ += count;
        for (const auto& [c, count] : to_) n_to_ += count;
    }

    // Puts the word's bigrams into class c, or takes them out.
    void shift(std::size_t c, std::int64_t by) {
        for (const auto& [other, count] : from_) pairs_[other * n_ + c] += by * count;
        for (const auto& [other, count] : to_) pairs_[c * n_ + other] += by * count;
        pairs_[c * n_ + c] += by * self_;
        before_[c] += by * n_to_;
        after_[c] += by * n_from_;
    }

    // What class c would gain with the word, which is out.
    double gain(std::size_t c) const {
        double sum = -h_(before_[c] + n_to_) + h_(before_[c]) - h_(after_[c] + n_from_) + h_(after_[c]);
        std::int64_t own = self_;
        for (const auto& [other, count] : from_) {
            if (other == c) own += count;
            else sum += h_(pairs_[other * n_ + c] + count) - h_(pairs_[other * n_ + c]);
        }
        for (const auto& [other, count] : to_) {
            if (other == c) own += count;
            else sum += h_(pairs_[c * n_ + other] + count) - h_(pairs_[c * n_ + other]);
        }
        return sum + h_(pairs_[c * n_ + c] + own) - h_(pairs_[c * n_ + c]);
    }

    std::size_t n_, edge_;
    std::vector<std::int32_t> class_of_;
    std::vector<std::int64_t> uses_, pairs_, before_, after_, sum_;
    std::vector<std::size_t> order_;
    Neighbours right_, left_;
    Entropies h_;
    std::vector<std::pair<std::size_t, std::int64_t>> from_, to_;
    std::int64_t self_ = 0, n_from_ = 0, n_to_ = 0;
};

}  // namespace

ExchangedClasses exchange_classes(std::span<const std::int64_t> offsets, std::span<const std::int32_t> words, std::size_t n_words, std::size_t n_classes,
                                  int n_passes) {
    Exchange exchange(offsets, words, n_words, n_classes);
    for (int pass = 0; pass < n_passes && exchange.pass(); ++pass) {}
    return {exchange.classes(), exchange.log_likelihood()};
}

}  // namespace palmette
