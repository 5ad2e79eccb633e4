// The upper envelope of lines: which candidate scores best, for every x of the weights w + x d. CSC 448, §21.2.1.
//
// A candidate with features f is the line y = (w·f) + x (d·f). The envelope is a convex polygon: its lines in the order
// of their slopes, each best from `from` on to the `from` of the next. O(n) for lines sorted by slope.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace palmette {

inline constexpr double kFarLeft = -std::numeric_limits<double>::infinity();

struct Line {
    double slope, intercept;
    double from = kFarLeft;
    std::int32_t id = 0;
};

// Adds a line that is at least as steep as all before it. The first one of equal lines is kept.
template <class L>
void add_to_envelope(std::vector<L>& envelope, L line) {
    line.from = kFarLeft;
    while (!envelope.empty()) {
        const L& last = envelope.back();
        if (line.slope == last.slope) {
            if (line.intercept <= last.intercept) return;
        } else {
            const double x = (last.intercept - line.intercept) / (line.slope - last.slope);
            if (x == std::numeric_limits<double>::infinity()) return;
            if (x > last.from) {
                line.from = x;
                break;
            }
        }
        envelope.pop_back();
    }
    envelope.push_back(line);
}

}  // namespace palmette
