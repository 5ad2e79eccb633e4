// The sums of CKY as loops for nothing else: spans outside, rules inside, contiguous arrays.
//
// Charts are arrays [i][k][A] of n + 1 by n + 1 by `labels`. Rules come three times, grouped by their head, by their
// left and by their right part: those of label X are start[X] .. start[X + 1] - 1, with the other two labels and the
// log of the weight. Compiled and called by loop.py.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace {

constexpr double kLogZero = -std::numeric_limits<double>::infinity();

struct Rules {
    const int32_t *start, *first, *second;
    const double* weight;
};

struct Chart {
    double* values;
    int32_t n, labels;
    double* at(int32_t i, int32_t k) const { return values + (static_cast<size_t>(i) * (n + 1) + k) * labels; }
};

// One span's share in a sum: a vector for the first label of a rule and one for the second.
struct Pair {
    const double *first, *second;
};

void pairs_inside(const Chart& in, int32_t i, int32_t k, std::vector<Pair>& pairs) {
    pairs.clear();
    for (int32_t j = i + 1; j < k; ++j) pairs.push_back({in.at(i, j), in.at(j, k)});
}
void pairs_as_left(const Chart& in, const Chart& out, int32_t i, int32_t j, std::vector<Pair>& pairs) {
    pairs.clear();
    for (int32_t k = j + 1; k <= in.n; ++k) pairs.push_back({out.at(i, k), in.at(j, k)});
}
void pairs_as_right(const Chart& in, const Chart& out, int32_t i, int32_t j, std::vector<Pair>& pairs) {
    pairs.clear();
    for (int32_t h = 0; h < i; ++h) pairs.push_back({out.at(h, j), in.at(h, i)});
}

// ---- in log space: the greatest term of a cell, then the sum of exponentials below it ----

void add_logs(const Rules& rules, int32_t labels, const std::vector<Pair>& pairs, double* result) {
    for (int32_t x = 0; x < labels; ++x) {
        double top = result[x];
        for (auto [first, second] : pairs)
            for (int32_t r = rules.start[x]; r < rules.start[x + 1]; ++r)
                top = std::max(top, rules.weight[r] + first[rules.first[r]] + second[rules.second[r]]);
        if (top == kLogZero) continue;
        double sum = std::exp(result[x] - top);
        for (auto [first, second] : pairs)
            for (int32_t r = rules.start[x]; r < rules.start[x + 1]; ++r)
                sum += std::exp(rules.weight[r] + first[rules.first[r]] + second[rules.second[r]] - top);
        result[x] = top + std::log(sum);
    }
}

// ---- rescaled: the greatest value of every span is one, and its log is kept beside ----

struct Scaled {
    Chart chart;
    std::vector<double> log_scale;
    double& scale(int32_t i, int32_t k) { return log_scale[static_cast<size_t>(i) * (chart.n + 1) + k]; }
};

void add_products(const Rules& rules, int32_t labels, const double* first, const double* second, double* result) {
    for (int32_t x = 0; x < labels; ++x) {
        double sum = 0.0;
        for (int32_t r = rules.start[x]; r < rules.start[x + 1]; ++r)
            sum += rules.weight[r] * first[rules.first[r]] * second[rules.second[r]];
        result[x] += sum;
    }
}

void rescale(Scaled& s, int32_t i, int32_t k, double scale) {
    double *values = s.chart.at(i, k), top = *std::max_element(values, values + s.chart.labels);
    s.scale(i, k) = top > 0.0 ? scale + std::log(top) : kLogZero;
    if (top > 0.0)
        for (int32_t x = 0; x < s.chart.labels; ++x) values[x] /= top;
}

// A sum over pairs of spans, each with its own scale.
struct Term {
    Pair pair;
    double log_scale;
};

void add_terms(const Rules& rules, int32_t labels, const std::vector<Term>& terms, double scale, double* result) {
    std::vector<double> first(labels);
    for (const Term& term : terms) {
        double factor = std::exp(term.log_scale - scale);
        if (factor == 0.0) continue;
        for (int32_t x = 0; x < labels; ++x) first[x] = factor * term.pair.first[x];
        add_products(rules, labels, first.data(), term.pair.second, result);
    }
}

double greatest(const std::vector<Term>& terms, double top) {
    for (const Term& term : terms) top = std::max(top, term.log_scale);
    return top;
}

void to_logs(Scaled& s) {
    for (int32_t i = 0; i <= s.chart.n; ++i)
        for (int32_t k = i + 1; k <= s.chart.n; ++k)
            for (double *x = s.chart.at(i, k), *end = x + s.chart.labels; x < end; ++x)
                *x = *x > 0.0 ? std::log(*x) + s.scale(i, k) : kLogZero;
}

}  // namespace

// `in` holds the scores of the words on entry, -inf elsewhere; so does `out` everywhere.
extern "C" void log_space(int32_t n, int32_t labels, const Rules* by_head, const Rules* by_left, const Rules* by_right,
                          double* in_values, double* out_values) {
    Chart in{in_values, n, labels}, out{out_values, n, labels};
    std::vector<Pair> pairs;
    for (int32_t width = 2; width <= n; ++width)
        for (int32_t i = 0, k = width; k <= n; ++i, ++k) {
            pairs_inside(in, i, k, pairs);
            add_logs(*by_head, labels, pairs, in.at(i, k));
        }
    out.at(0, n)[0] = 0.0;
    for (int32_t width = n - 1; width > 0; --width)
        for (int32_t i = 0, k = width; k <= n; ++i, ++k) {
            pairs_as_left(in, out, i, k, pairs);
            add_logs(*by_left, labels, pairs, out.at(i, k));
            pairs_as_right(in, out, i, k, pairs);
            add_logs(*by_right, labels, pairs, out.at(i, k));
        }
}

// The same with weights in place of their logs; `in` holds the scores of the words, `out` zeros.
extern "C" void rescaled(int32_t n, int32_t labels, const Rules* by_head, const Rules* by_left, const Rules* by_right,
                         double* in_values, double* out_values) {
    const size_t n_spans = static_cast<size_t>(n + 1) * (n + 1);
    Scaled in{{in_values, n, labels}, std::vector<double>(n_spans, kLogZero)};
    Scaled out{{out_values, n, labels}, std::vector<double>(n_spans, kLogZero)};
    std::vector<Term> terms, others;
    for (int32_t i = 0; i < n; ++i) {
        double *x = in.chart.at(i, i + 1), top = *std::max_element(x, x + labels);
        for (int32_t a = 0; a < labels; ++a) x[a] = std::exp(x[a] - top);
        in.scale(i, i + 1) = top;
    }
    for (int32_t width = 2; width <= n; ++width)
        for (int32_t i = 0, k = width; k <= n; ++i, ++k) {
            terms.clear();
            for (int32_t j = i + 1; j < k; ++j)
                terms.push_back({{in.chart.at(i, j), in.chart.at(j, k)}, in.scale(i, j) + in.scale(j, k)});
            double scale = greatest(terms, kLogZero), *result = in.chart.at(i, k);
            std::fill(result, result + labels, 0.0);
            add_terms(*by_head, labels, terms, scale, result);
            rescale(in, i, k, scale);
        }
    out.chart.at(0, n)[0] = 1.0;
    out.scale(0, n) = 0.0;
    for (int32_t width = n - 1; width > 0; --width)
        for (int32_t i = 0, k = width; k <= n; ++i, ++k) {
            terms.clear();
            others.clear();
            for (int32_t m = k + 1; m <= n; ++m)
                terms.push_back({{out.chart.at(i, m), in.chart.at(k, m)}, out.scale(i, m) + in.scale(k, m)});
            for (int32_t h = 0; h < i; ++h)
                others.push_back({{out.chart.at(h, k), in.chart.at(h, i)}, out.scale(h, k) + in.scale(h, i)});
            double scale = greatest(terms, greatest(others, kLogZero));
            add_terms(*by_left, labels, terms, scale, out.chart.at(i, k));
            add_terms(*by_right, labels, others, scale, out.chart.at(i, k));
            rescale(out, i, k, scale);
        }
    to_logs(in);
    to_logs(out);
}
