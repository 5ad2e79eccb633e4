// Arc scores brought into the range of numbers. Every word has one head, so a number taken from all arcs into a word
// takes it from every tree; where there is one root word, so does a number taken from all root arcs. With the highest
// scores as these numbers all weights e^score are at most 1.
#pragma once
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/scaled.hpp"
#include "base/vector_exp.hpp"

namespace palmette {

struct HeadGauge {
    std::size_t width = 0;
    std::vector<double> shifted;  // [width][width]; −inf on the diagonal and in column 0
    double taken = 0;             // from every tree, in all
    bool possible = true;         // whether every word has a head at all, and there is a root arc

    template <class Real>
    HeadGauge(const Real* scores, std::size_t n, bool single_root) : width(n + 1), shifted(width * width) {
        constexpr double kNone = -std::numeric_limits<double>::infinity();
        std::vector<double> highest(width, kNone);
        for (std::size_t h = 0; h < width; ++h) {
            double* row = shifted.data() + h * width;
            for (std::size_t m = 0; m < width; ++m) row[m] = scores[h * width + m];
            row[0] = row[h] = kNone;
            if (h == 0 && single_root) continue;
            for (std::size_t m = 0; m < width; ++m) highest[m] = highest[m] < row[m] ? row[m] : highest[m];
        }
        double root = single_root ? kNone : 0.0;
        for (std::size_t m = 1; m < width; ++m) {
            if (highest[m] == kNone) highest[m] = shifted[m];  // a word that only the root can have
            possible = possible && highest[m] > kNone;
            taken += highest[m];
            if (single_root && root < shifted[m] - highest[m]) root = shifted[m] - highest[m];
        }
        possible = possible && root > kNone;
        if (!possible) return;
        highest[0] = 0;
        taken += root;
        for (std::size_t h = 0; h < width; ++h)
            for (std::size_t m = 0; m < width; ++m) shifted[h * width + m] -= highest[m] + (h == 0 ? root : 0.0);
    }

    std::vector<double> weights() const {
        std::vector<double> values(shifted.size());
        exp_shifted(shifted.data(), 0.0, shifted.size(), values.data());
        return values;
    }
    std::vector<Scaled> scaled_weights() const {
        std::vector<Scaled> values(shifted.size());
        for (std::size_t a = 0; a < values.size(); ++a) values[a] = weight(shifted[a]);
        return values;
    }

private:
    // e^x; where x is so low that it is no longer known to one, as a whole number of steps.
    static Scaled weight(double x) {
        if (x > -1e14 || x == -std::numeric_limits<double>::infinity()) return scaled::from_log(x);
        return {1.0, std::nearbyint(x / scaled::kStep)};
    }
};

}  // namespace palmette
