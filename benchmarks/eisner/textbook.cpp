// Eisner's algorithm as it stands in textbooks: spans by length, splits inside, back-pointers. The root is word 0 and may
// have any number of dependents. Compiled and called by textbook.py.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using std::size_t;

namespace {

template <class Real>
class Chart {
public:
    explicit Chart(int32_t words) : n_(words + 1), value_(4 * n_ * n_), split_(4 * n_ * n_) {}

    void parse(const Real* score, int32_t* heads) {
        for (size_t i = 0; i < n_; ++i) at(i, i, kLeft) = at(i, i, kRight) = 0;
        for (size_t length = 1; length < n_; ++length)
            for (size_t i = 0; i + length < n_; ++i) {
                const size_t k = i + length;
                Real best = -std::numeric_limits<Real>::infinity();
                int32_t split = static_cast<int32_t>(i);
                for (size_t j = i; j < k; ++j) take(at(i, j, kRight) + at(j + 1, k, kLeft), j, best, split);
                at(i, k, kArcLeft) = best + score[k * n_ + i];
                at(i, k, kArcRight) = best + score[i * n_ + k];
                from(i, k, kArcLeft) = from(i, k, kArcRight) = split;
                best = -std::numeric_limits<Real>::infinity();
                for (size_t j = i; j < k; ++j) take(at(i, j, kLeft) + at(j, k, kArcLeft), j, best, split);
                at(i, k, kLeft) = best;
                from(i, k, kLeft) = split;
                best = -std::numeric_limits<Real>::infinity();
                for (size_t j = i + 1; j <= k; ++j) take(at(i, j, kArcRight) + at(j, k, kRight), j, best, split);
                at(i, k, kRight) = best;
                from(i, k, kRight) = split;
            }
        read(0, n_ - 1, kRight, heads);
    }

private:
    enum Kind { kLeft, kRight, kArcLeft, kArcRight };
    static void take(Real value, size_t j, Real& best, int32_t& split) {
        if (value > best) {
            best = value;
            split = static_cast<int32_t>(j);
        }
    }
    Real& at(size_t i, size_t k, Kind kind) { return value_[(kind * n_ + i) * n_ + k]; }
    int32_t& from(size_t i, size_t k, Kind kind) { return split_[(kind * n_ + i) * n_ + k]; }

    void read(size_t i, size_t k, Kind kind, int32_t* heads) {
        if (i == k) return;
        const size_t j = static_cast<size_t>(from(i, k, kind));
        if (kind == kLeft) {
            read(i, j, kLeft, heads);
            read(j, k, kArcLeft, heads);
        } else if (kind == kRight) {
            read(i, j, kArcRight, heads);
            read(j, k, kRight, heads);
        } else {
            if (kind == kArcLeft)
                heads[i - 1] = static_cast<int32_t>(k);
            else
                heads[k - 1] = static_cast<int32_t>(i);
            read(i, j, kRight, heads);
            read(j + 1, k, kLeft, heads);
        }
    }

    size_t n_;
    std::vector<Real> value_;
    std::vector<int32_t> split_;
};

}  // namespace

// Sentences of as many words each, their scores and heads one after the other.
extern "C" void parse_all(int32_t words, int32_t sentences, const float* scores, int32_t* heads) {
    Chart<float> chart(words);
    for (int32_t s = 0; s < sentences; ++s)
        chart.parse(scores + static_cast<size_t>(s) * (words + 1) * (words + 1), heads + static_cast<size_t>(s) * words);
}
