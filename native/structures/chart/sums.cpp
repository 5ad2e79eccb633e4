#include "structures/chart/sums.hpp"

#include "base/flush_to_zero.hpp"
#include "base/interrupt.hpp"
#include "structures/chart/best.hpp"

namespace palmette {

namespace {
constexpr double kFirstCost = 3;  // what the rules of a word cost, in logs, until the sentence tells
constexpr double kUnlikelySum = 1e-2;  // what is less likely than this share of a threshold passes nothing on
}  // namespace

template <class Real>
double ChartSums<Real>::run_inside(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed,
                                   const ChartClosure& closure, std::span<const double> scales) {
    const FlushToZero flush;
    closure_ = closure;
    pass_.begin(grammar, n, allowed, closure, inside_);
    scale_.assign(n + 1, 0.0);
    std::size_t next = 0;
    double cost = 0;  // Σ over the words so far of what their scales add to those of their best tags
    for (std::size_t end = 1; end <= n; ++end) {
        check_interrupt();
        const std::size_t begin = next;
        double best = kNoLog;
        for (; next < emissions.positions.size() && static_cast<std::size_t>(emissions.positions[next]) < end; ++next)
            best = std::max(best, static_cast<double>(emissions.log_weights[next]));
        if (best == kNoLog) best = 0;
        double step = -best + (end > 1 ? cost / static_cast<double>(end - 1) : kFirstCost);
        if (!scales.empty()) step = scales[end] - scales[end - 1];
        scale_[end] = scale_[end - 1] + step;
        pass_.column(end, [&](auto put) {
            for (std::size_t k = begin; k < next; ++k)
                put(static_cast<std::size_t>(emissions.symbols[k]), static_cast<Real>(std::exp(static_cast<double>(emissions.log_weights[k]) + step)));
        });
        if (scales.empty()) rescale(end, static_cast<std::size_t>(grammar.symbols()));
        pass_.finish(end);
        cost += scale_[end] - scale_[end - 1] + best;
    }
    const double root = static_cast<double>(inside_.at(0, n, static_cast<std::size_t>(grammar.root())));
    constexpr double kSmall = sizeof(Real) == sizeof(float) ? 1e-24 : 1e-200;
    trustworthy_ = root > kSmall && root < 1 / kSmall;
    log_z_ = root > 0 && std::isfinite(root) ? std::log(root) - scale_[n] : kNoLog;
    return log_z_;
}

// A column times a power of two (nothing is lost), so that the best items of its starts have a mean log near zero.
// Factors are made afterwards.
template <class Real>
void ChartSums<Real>::rescale(std::size_t end, std::size_t symbols) {
    std::vector<Real>& best = scratch_;
    const std::size_t first = pass_.first_start(end), width = inside_.width(end);
    best.assign(width, Real{0});
    for (std::size_t r = 0; r < symbols; ++r) {
        const Real* row = inside_.row(end, r);
        for (std::size_t i = first; i < width; ++i) best[i] = best[i] > row[i] ? best[i] : row[i];
    }
    double sum = 0;
    int alive = 0;
    for (Real value : best)
        if (value > 0 && std::isfinite(value)) {
            sum += std::log2(static_cast<double>(value));
            ++alive;
        }
    const int exponent = alive ? -static_cast<int>(std::lround(sum / alive)) : 0;
    if (exponent == 0) return;
    const Real factor = static_cast<Real>(std::ldexp(1.0, exponent));
    for (std::size_t r = 0; r < symbols; ++r) {
        Real* row = inside_.row(end, r);
        for (std::size_t i = first; i < width; ++i) row[i] *= factor;
    }
    scale_[end] += exponent * 0.693147180559945309417232121458;
}

//     outside(B, i, k) += w · outside(A, i, j) · inside(C, k, j)
//     outside(C, k, j) += w · Σ_i outside(A, i, j) · inside(B, i, k)
// By ends from right to left, within an end from the first start to the last: when all starts before k are done, the
// right children in (k, j) learn of all that is above them, and the left children (·, k) get their share of (·, j).
// Only symbols that have an item with a posterior in the column pass something on: rules lie by their parents here.
template <class Real>
void ChartSums<Real>::run_outside(const ChartGrammar& grammar, double drop) {
    const FlushToZero flush;
    const std::size_t n = inside_.n();
    outside_.reset(n, inside_.rows());
    for (std::size_t end = 1; end <= n; ++end) outside_.clear(end, Real{0}, first_start(end));
    const auto root = static_cast<std::size_t>(grammar.root());
    outside_.row(n, root)[0] = static_cast<Real>(1 / static_cast<double>(inside_.at(0, n, root)));
    for (std::size_t end = n; end > 0; --end) {
        check_interrupt();
        outside_of_factors(grammar, end, static_cast<Real>(drop));
        list_present(grammar, end);
        parents_.clear();
        const bool closed = closure_.end(end);
        for (std::size_t start = closed ? end - 1 : 0; start < end; ++start) {
            if (start > 0 && !closed) {
                const std::size_t first = pass_.first_start(start);
                by_vectors((outside_.width(start) - first) / ChartRows<Real>::kLane, [&](auto vectors) { outside_of_children(grammar, start, end, first, vectors); });
            }
            outside_of_unaries(grammar, start, end);
            select(grammar, start, end, static_cast<Real>(drop));
        }
    }
}

template <class Real>
void ChartSums<Real>::outside_of_factors(const ChartGrammar& grammar, std::size_t end, Real least) {
    const std::uint8_t *has_above = outside_.alive(end), *has_left = inside_.alive(end);
    const std::size_t first = pass_.first_start(end), width = outside_.width(end);
    for (std::size_t f = 0; f < grammar.factors(); ++f) {
        const std::size_t row = static_cast<std::size_t>(grammar.symbols()) + f;
        if (!has_above[row]) continue;
        const Real *__restrict from = outside_.row(end, row), *__restrict in = inside_.row(end, row);
        Real best = 0;
        for (std::size_t i = first; i < width; ++i) best = in[i] * from[i] > best ? in[i] * from[i] : best;
        if (!(best > least)) continue;
        for (const FactorRule& rule : grammar.with_factor(f)) {
            if (!has_left[rule.left]) continue;
            const Real weight = S::weight(rule);
            Real* __restrict to = outside_.row(end, static_cast<std::size_t>(rule.left));
            for (std::size_t i = first; i < width; ++i) to[i] += weight * from[i];
        }
    }
}

// The symbols that have an item in a column.
template <class Real>
void ChartSums<Real>::list_present(const ChartGrammar& grammar, std::size_t end) {
    const std::size_t first = pass_.first_start(end), width = inside_.width(end);
    present_.clear();
    for (std::int32_t symbol = 0; symbol < grammar.symbols(); ++symbol) {
        const Real* row = inside_.row(end, static_cast<std::size_t>(symbol));
        Real sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = first; i < width; ++i) sum += row[i];
        if (sum > 0) present_.push_back(symbol);
    }
}

// What may not be, or is not likely to be, passes nothing on to what is below.
template <class Real>
void ChartSums<Real>::select(const ChartGrammar& grammar, std::size_t start, std::size_t end, Real least) {
    const std::size_t width = inside_.width(end);
    const Real* in = inside_.row(end, 0) + start;
    Real* out = outside_.row(end, 0) + start;
    std::uint8_t* alive = outside_.alive(end);
    for (std::int32_t symbol : present_) {
        const std::size_t at = static_cast<std::size_t>(symbol) * width;
        if (in[at] * out[at] > least) {
            if (alive[symbol]) continue;
            alive[symbol] = 1;
            if (!grammar.rows_of(static_cast<std::size_t>(symbol)).empty()) parents_.push_back(symbol);
        } else {
            out[at] = 0;
        }
    }
}

// For the splits at `start` of all spans that end at `end` and begin at `first` or later.
template <class Real>
template <class Vectors>
void ChartSums<Real>::outside_of_children(const ChartGrammar& grammar, std::size_t start, std::size_t end, std::size_t first, Vectors vectors) {
    constexpr std::size_t kLane = ChartRows<Real>::kLane;
    std::uint8_t* left_has_above = outside_.alive(start);
    const std::uint8_t* has_left = inside_.alive(start);
    const std::size_t left_width = inside_.width(start), width = inside_.width(end);
    const Real *cell = inside_.row(end, 0) + start, *lefts = inside_.row(start, 0) + first, *aboves = outside_.row(end, 0) + first;
    Real *cell_above = outside_.row(end, 0) + start, *outs = outside_.row(start, 0) + first;
    for (std::int32_t parent : parents_) {
        const Real* __restrict above = aboves + static_cast<std::size_t>(parent) * width;
        for (const RowRule& rule : grammar.rows_of(static_cast<std::size_t>(parent))) {
            const std::size_t right = static_cast<std::size_t>(rule.parent) * width;
            const Real below = cell[right];
            if (below == 0 || !has_left[rule.left]) continue;
            const Real weight = S::row_weight(grammar, rule), factor = weight * below;
            const Real* __restrict left = lefts + static_cast<std::size_t>(rule.left) * left_width;
            Real* __restrict out = outs + static_cast<std::size_t>(rule.left) * left_width;
            if (rule.left >= grammar.symbols()) left_has_above[rule.left] = 1;
            Real sum = 0;
            // Where the left child has no item, neither has it an outside that anyone would look at.
#pragma omp simd reduction(+ : sum)
            for (std::size_t i = 0; i < vectors * kLane; ++i) {
                sum += above[i] * left[i];
                out[i] += factor * above[i];
            }
            cell_above[right] += weight * sum;
        }
    }
}

template <class Real>
void ChartSums<Real>::outside_of_unaries(const ChartGrammar& grammar, std::size_t start, std::size_t end) {
    const std::size_t width = inside_.width(end);
    const Real* in = inside_.row(end, 0) + start;
    Real* out = outside_.row(end, 0) + start;
    for (std::size_t b = grammar.blocks().size(); b-- > 0;) {
        const UnaryBlock& block = grammar.blocks()[b];
        if (block.n_members) {
            const std::int32_t* members = grammar.members().data() + block.members;
            const std::size_t m = block.n_members;
            scratch_.assign(m, Real{0});
            for (std::size_t parent = 0; parent < m; ++parent) {
                const Real above = out[static_cast<std::size_t>(members[parent]) * width];
                for (std::size_t child = 0; child < m && above != 0; ++child) scratch_[child] += above * S::closure(grammar, block.matrix + parent * m + child);
            }
            for (std::size_t child = 0; child < m; ++child) {
                const auto symbol = static_cast<std::size_t>(members[child]);
                if (scratch_[child] != 0 && in[symbol * width] != 0) out[symbol * width] = scratch_[child];
            }
        }
        for (std::uint32_t r = block.begin; r < block.end; ++r) {
            const IndexedRule& rule = grammar.block_rules()[r];
            const auto child = static_cast<std::size_t>(rule.left);
            const Real above = out[static_cast<std::size_t>(rule.right) * width];
            if (above != 0 && in[child * width] != 0) out[child * width] += S::unary(grammar, r) * above;
        }
    }
}

template class ChartSums<float>;
template class ChartSums<double>;

double inside_in_doubles(ChartSums<double>& sums, const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed,
                         const ChartClosure& closure) {
    sums.run_inside(grammar, emissions, n, allowed, closure);
    if (sums.trustworthy()) return sums.log_z();
    ChartBest best;
    const double score = best.run(grammar, emissions, n, allowed, closure);
    if (score == kNoLog) return sums.log_z();
    std::vector<double> scales(n + 1);
    for (std::size_t i = 0; i <= n; ++i) scales[i] = -score * static_cast<double>(i) / static_cast<double>(n);
    return sums.run_inside(grammar, emissions, n, allowed, closure, scales);
}

double SentenceSums::run(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed, double drop,
                         const ChartClosure& closure) {
    floats_.run_inside(grammar, emissions, n, allowed, closure);
    in_doubles_ = !floats_.trustworthy();
    if (!in_doubles_) {
        floats_.run_outside(grammar, drop);
        return floats_.log_z();
    }
    const double log_z = inside_in_doubles(doubles_, grammar, emissions, n, allowed, closure);
    if (log_z != kNoLog) doubles_.run_outside(grammar, drop);
    return log_z;
}

void keep_likely(const ChartGrammar& grammar, const SentenceSums& sums, std::size_t n, double threshold, ChartItems& kept) {
    const auto symbols = static_cast<std::size_t>(grammar.symbols());
    kept.reset(n, symbols);
    const auto keep = [&](const auto& chart, auto limit) {
        for (std::size_t end = 1; end <= n; ++end) {
            const std::uint8_t* alive = chart.outside().alive(end);
            for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
                if (!alive[symbol]) continue;
                const auto *in = chart.inside().row(end, symbol), *out = chart.outside().row(end, symbol);
                for (std::size_t i = chart.first_start(end); i < end; ++i)
                    if (in[i] * out[i] >= limit && in[i] > 0) kept.add(i, end, symbol);
            }
        }
    };
    if (sums.in_doubles())
        keep(sums.doubles(), threshold);
    else
        keep(sums.floats(), static_cast<float>(threshold));
}

double prune(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, double threshold, ChartItems& kept, SentenceSums& sums,
             const ChartItems* allowed) {
    const double log_z = sums.run(grammar, emissions, n, allowed, threshold * kUnlikelySum);
    if (log_z == kNoLog)
        kept.reset(n, static_cast<std::size_t>(grammar.symbols()), true);
    else
        keep_likely(grammar, sums, n, threshold, kept);
    return log_z;
}

double prune(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, double threshold, ChartItems& kept) {
    SentenceSums sums;
    return prune(grammar, emissions, n, threshold, kept, sums);
}

}  // namespace palmette
