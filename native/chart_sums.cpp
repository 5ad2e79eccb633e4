#include "chart_sums.hpp"

#include "flush_to_zero.hpp"

namespace palmette {

namespace {
constexpr double kNoLog = -std::numeric_limits<double>::infinity();
constexpr double kFirstCost = 3;  // what the rules of a word cost, in logs, until the sentence tells
}  // namespace

template <class Real>
double ChartSums<Real>::run_inside(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed) {
    const FlushToZero flush;
    inside_.reset(n, static_cast<std::size_t>(grammar.symbols()), Real{0});
    scale_.assign(n + 1, 0.0);
    constrained_ = allowed != nullptr;
    std::size_t next = 0;
    double cost = 0;  // Σ over the words so far of what their scales add to those of their best tags
    for (std::size_t end = 1; end <= n; ++end) {
        const std::size_t begin = next;
        double best = kNoLog;
        for (; next < emissions.positions.size() && static_cast<std::size_t>(emissions.positions[next]) < end; ++next)
            best = std::max(best, static_cast<double>(emissions.log_weights[next]));
        if (best == kNoLog) best = 0;
        const double step = -best + (end > 1 ? cost / static_cast<double>(end - 1) : kFirstCost);
        scale_[end] = scale_[end - 1] + step;
        inside_column<S>(
            grammar, end, allowed, inside_,
            [&](auto put) {
                for (std::size_t k = begin; k < next; ++k)
                    put(static_cast<std::size_t>(emissions.symbols[k]), static_cast<Real>(std::exp(static_cast<double>(emissions.log_weights[k]) + step)));
            },
            live_, scratch_);
        rescale(end);
        cost += scale_[end] - scale_[end - 1] + best;
    }
    const double root = static_cast<double>(inside_.at(0, n, static_cast<std::size_t>(grammar.root())));
    constexpr double kSmall = sizeof(Real) == sizeof(float) ? 1e-24 : 1e-200;
    trustworthy_ = root > kSmall && root < 1 / kSmall;
    log_z_ = root > 0 && std::isfinite(root) ? std::log(root) - scale_[n] : kNoLog;
    return log_z_;
}

// A column divided so that the best items of its starts have a mean log of zero. By powers of two: nothing is lost.
template <class Real>
void ChartSums<Real>::rescale(std::size_t end) {
    std::vector<Real>& best = scratch_;
    best.assign(ChartRows<Real>::width(end), Real{0});
    const std::int16_t *first = inside_.first(end), *last = inside_.last(end);
    const std::size_t width = best.size();
    for (std::size_t symbol = 0; symbol < inside_.symbols(); ++symbol) {
        if (first[symbol] > last[symbol]) continue;
        const Real* row = inside_.row(end, symbol);
        for (std::size_t i = 0; i < width; ++i) best[i] = best[i] > row[i] ? best[i] : row[i];
    }
    double sum = 0;
    int alive = 0;
    for (Real value : best)
        if (value > 0 && std::isfinite(value)) {
            sum += std::log2(static_cast<double>(value));
            ++alive;
        }
    if (!alive) return;
    const int exponent = -static_cast<int>(std::lround(sum / alive));
    if (exponent == 0) return;
    const Real factor = static_cast<Real>(std::ldexp(1.0, exponent));
    for (std::size_t symbol = 0; symbol < inside_.symbols(); ++symbol) {
        if (first[symbol] > last[symbol]) continue;
        Real* row = inside_.row(end, symbol);
        for (std::size_t i = 0; i < width; ++i) row[i] *= factor;
    }
    scale_[end] += exponent * 0.693147180559945309417232121458;
}

//     outside(B, i, k) += w · outside(A, i, j) · inside(C, k, j)      outside(C, k, j) += w · Σ_i outside(A, i, j) · inside(B, i, k)
// By ends from right to left, within an end from the first start to the last: when all starts before k are done, the
// right children in (k, j) know everything above them, and the left children (·, k) get their share of (·, j).
template <class Real>
void ChartSums<Real>::run_outside(const ChartGrammar& grammar) {
    const FlushToZero flush;
    constexpr std::size_t kLane = ChartRows<Real>::kLane;
    const std::size_t n = inside_.n(), symbols = inside_.symbols();
    outside_.reset(n, symbols, Real{0});
    const auto root = static_cast<std::size_t>(grammar.root());
    outside_.row(n, root)[0] = static_cast<Real>(1 / static_cast<double>(inside_.at(0, n, root)));
    outside_.widen(n, root, 0, 0);
    const IndexedRule* unary = grammar.block_rules().data();
    for (std::size_t end = n; end > 0; --end) {
        std::int16_t *first = outside_.first(end), *last = outside_.last(end);
        for (std::size_t start = 0; start < end; ++start) {
            const auto at = static_cast<std::int16_t>(start);
            const std::int16_t* left_first = start ? inside_.first(start) : nullptr;
            const std::int16_t* left_last = start ? inside_.last(start) : nullptr;
            if (start > 0)
                for (std::int32_t right : grammar.right_children()) {
                    if (inside_.first(end)[right] > at || inside_.last(end)[right] < at) continue;
                    const Real below = inside_.row(end, static_cast<std::size_t>(right))[start];
                    if (below == 0) continue;
                    Real above_right = 0;
                    for (const IndexedRule& rule : grammar.with_right(static_cast<std::size_t>(right))) {
                        const std::int16_t from = std::max(left_first[rule.other], first[rule.third]);
                        const std::int16_t to = std::min({left_last[rule.other], last[rule.third], static_cast<std::int16_t>(at - 1)});
                        if (from > to) continue;
                        const Real weight = S::weight(rule), factor = weight * below;
                        const Real* __restrict above = outside_.row(end, static_cast<std::size_t>(rule.third));
                        const Real* __restrict left = inside_.row(start, static_cast<std::size_t>(rule.other));
                        Real* __restrict out = outside_.row(start, static_cast<std::size_t>(rule.other));
                        Real sums[kLane] = {};
                        // Starts at and after k in the parent's row meet zeros in the left child's.
                        for (std::size_t i = static_cast<std::size_t>(from) / kLane * kLane; i <= static_cast<std::size_t>(to); i += kLane)
                            for (std::size_t v = 0; v < kLane; ++v) {
                                sums[v] += above[i + v] * left[i + v];
                                out[i + v] += factor * above[i + v];
                            }
                        Real sum = 0;
                        for (std::size_t v = 0; v < kLane; ++v) sum += sums[v];
                        above_right += weight * sum;
                        outside_.widen(start, static_cast<std::size_t>(rule.other), from, to);
                    }
                    if (above_right == 0) continue;
                    outside_.row(end, static_cast<std::size_t>(right))[start] += above_right;
                    outside_.widen(end, static_cast<std::size_t>(right), at, at);
                }
            if (constrained_)  // what may not be has no inside, and nothing above it may reach what is below
                for (std::size_t symbol = 0; symbol < symbols; ++symbol)
                    if (first[symbol] <= at && inside_.row(end, symbol)[start] == 0) outside_.row(end, symbol)[start] = 0;
            for (std::size_t b = grammar.blocks().size(); b-- > 0;) {
                const UnaryBlock& block = grammar.blocks()[b];
                if (block.n_members) {
                    const std::int32_t* members = grammar.members().data() + block.members;
                    const std::size_t m = block.n_members;
                    scratch_.assign(m, Real{0});
                    for (std::size_t parent = 0; parent < m; ++parent) {
                        const Real above = outside_.row(end, static_cast<std::size_t>(members[parent]))[start];
                        for (std::size_t child = 0; child < m && above != 0; ++child) scratch_[child] += above * S::closure(grammar, block.matrix + parent * m + child);
                    }
                    for (std::size_t child = 0; child < m; ++child) {
                        if (scratch_[child] == 0 || inside_.row(end, static_cast<std::size_t>(members[child]))[start] == 0) continue;
                        outside_.row(end, static_cast<std::size_t>(members[child]))[start] = scratch_[child];
                        outside_.widen(end, static_cast<std::size_t>(members[child]), at, at);
                    }
                }
                for (std::uint32_t r = block.begin; r < block.end; ++r) {
                    const Real above = outside_.row(end, static_cast<std::size_t>(unary[r].third))[start];
                    if (above == 0 || inside_.row(end, static_cast<std::size_t>(unary[r].other))[start] == 0) continue;
                    outside_.row(end, static_cast<std::size_t>(unary[r].other))[start] += S::weight(unary[r]) * above;
                    outside_.widen(end, static_cast<std::size_t>(unary[r].other), at, at);
                }
            }
        }
    }
}

template class ChartSums<float>;
template class ChartSums<double>;

double SentenceSums::run(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, const ChartItems* allowed) {
    floats_.run_inside(grammar, emissions, n, allowed);
    in_doubles_ = !floats_.trustworthy();
    if (!in_doubles_) {
        floats_.run_outside(grammar);
        return floats_.log_z();
    }
    const double log_z = doubles_.run_inside(grammar, emissions, n, allowed);
    if (log_z != kNoLog) doubles_.run_outside(grammar);
    return log_z;
}

double prune(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, double threshold, ChartItems& kept, SentenceSums& sums,
             const ChartItems* allowed) {
    const auto symbols = static_cast<std::size_t>(grammar.symbols());
    const double log_z = sums.run(grammar, emissions, n, allowed);
    if (log_z == kNoLog) {
        kept.reset(n, symbols, true);
        return log_z;
    }
    kept.reset(n, symbols);
    const auto keep = [&](const auto& chart, auto limit) {
        for (std::size_t end = 1; end <= n; ++end) {
            const std::int16_t *first = chart.outside().first(end), *last = chart.outside().last(end);
            for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
                if (first[symbol] > last[symbol]) continue;
                const auto *in = chart.inside().row(end, symbol), *out = chart.outside().row(end, symbol);
                for (auto i = static_cast<std::size_t>(first[symbol]); i <= static_cast<std::size_t>(last[symbol]); ++i)
                    if (in[i] * out[i] >= limit && in[i] > 0) kept.add(i, end, symbol);
            }
        }
    };
    if (sums.in_doubles())
        keep(sums.doubles(), threshold);
    else
        keep(sums.floats(), static_cast<float>(threshold));
    return log_z;
}

double prune(const ChartGrammar& grammar, const Emissions& emissions, std::size_t n, double threshold, ChartItems& kept) {
    SentenceSums sums;
    return prune(grammar, emissions, n, threshold, kept, sums);
}

}  // namespace palmette
