#include "tools/translation/tuning/metric.hpp"

#include <algorithm>
#include <cmath>

#include "tools/translation/tuning/ngram_matches.hpp"

namespace palmette {
namespace {

double bleu(const Metric& m, const double* sums) {
    const double length = sums[0], wanted = sums[1];
    const double *right = sums + 2, *all = right + kBleuOrder;
    if (std::all_of(right, right + kBleuOrder, [](double c) { return c == 0; }) || length <= 0) return 0;
    double product = 1, halved = 1;
    int orders = kBleuOrder;
    for (int n = 0; n < kBleuOrder; ++n) {
        const double more = m.smoothing == Smoothing::add && n ? m.value : 0;
        const double c = right[n] + more, total = all[n] + more;
        if (total == 0) {
            if (!m.effective) return 0;
            break;
        }
        if (m.effective) orders = n + 1;
        double precision = c / total;
        if (c == 0 && m.smoothing == Smoothing::exp) precision = 1 / ((halved *= 2) * total);
        if (c == 0 && m.smoothing == Smoothing::floor) precision = m.value / total;
        if (precision <= 0) return 0;
        product *= precision;
    }
    // Roots are much faster than logarithms, and a sweep takes thousands of them.
    const double mean = orders == 4 ? std::sqrt(std::sqrt(product)) : orders == 2 ? std::sqrt(product) : std::pow(product, 1.0 / orders);
    return length < wanted ? mean * std::exp(1 - wanted / length) : mean;
}

// F of the mean precision and the mean recall over the orders that both sides have.
double chrf(const Metric& m, const double* sums) {
    double orders = 0, precision = 0, recall = 0;
    for (std::size_t k = 0; k + 2 < m.n_counts; k += 3) {
        const double guessed = sums[k], wanted = sums[k + 1], right = sums[k + 2];
        if (guessed <= 0 || wanted <= 0) continue;
        precision += right / guessed;
        recall += right / wanted;
        ++orders;
    }
    if (precision + recall <= 0) return 0;
    const double factor = m.beta * m.beta;
    return (1 + factor) * precision * recall / (factor * precision + recall) / orders;
}

}  // namespace

double Metric::operator()(const double* sums) const {
    if (kind == MetricKind::bleu) return bleu(*this, sums);
    if (kind == MetricKind::chrf) return chrf(*this, sums);
    return sums[1] > 0 ? 1 - sums[0] / sums[1] : sums[0] > 0 ? 0.0 : 1.0;
}

}  // namespace palmette
