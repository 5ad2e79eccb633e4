// Viterbi by CKY as it stands in textbooks: spans by length, splits inside, for every symbol that the left part has the
// rules that begin with it. Unary rules are followed upwards from whatever gets better. It keeps no back-pointers: only
// the score of the best tree is asked for, which is to its advantage. Compiled and called by textbook.py.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

using std::size_t;

namespace {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

struct Binary {
    int32_t right, parent;
    float weight;
};
struct Unary {
    int32_t parent;
    float weight;
};

class Parser {
public:
    explicit Parser(int32_t symbols) : by_left(symbols), by_child(symbols), symbols_(symbols) {}

    std::vector<std::vector<Binary>> by_left;
    std::vector<std::vector<Unary>> by_child;

    // Emissions are sorted by position.
    float best(size_t n, int32_t root, size_t emissions, const int32_t* positions, const int32_t* tags, const float* weights) {
        width_ = n + 1;
        chart_.assign(width_ * width_ * symbols_, kNothing);
        alive_.resize(width_ * width_);
        size_t next = 0;
        for (size_t length = 1; length <= n; ++length)
            for (size_t i = 0; i + length <= n; ++i) {
                const size_t k = i + length;
                float* cell = at(i, k);
                if (length == 1)
                    for (; next < emissions && static_cast<size_t>(positions[next]) == i; ++next)
                        cell[tags[next]] = std::max(cell[tags[next]], weights[next]);
                for (size_t j = i + 1; j < k; ++j) combine(alive_[i * width_ + j], at(i, j), at(j, k), cell);
                finish(cell, alive_[i * width_ + k]);
            }
        return at(0, n)[root];
    }

private:
    float* at(size_t i, size_t k) { return &chart_[(i * width_ + k) * symbols_]; }

    void combine(const std::vector<int32_t>& lefts, const float* left, const float* right, float* cell) const {
        for (const int32_t b : lefts) {
            const float have = left[b];
            for (const Binary& rule : by_left[b]) {
                const float score = have + right[rule.right] + rule.weight;
                if (score > cell[rule.parent]) cell[rule.parent] = score;
            }
        }
    }

    // Unary rules, and the list of what the cell has.
    void finish(float* cell, std::vector<int32_t>& alive) {
        alive.clear();
        for (size_t a = 0; a < symbols_; ++a)
            if (cell[a] != kNothing) alive.push_back(static_cast<int32_t>(a));
        waiting_ = alive;
        while (!waiting_.empty()) {
            const int32_t b = waiting_.back();
            waiting_.pop_back();
            for (const Unary& rule : by_child[b]) {
                const float score = cell[b] + rule.weight;
                if (score <= cell[rule.parent]) continue;
                if (cell[rule.parent] == kNothing) alive.push_back(rule.parent);
                cell[rule.parent] = score;
                if (!by_child[rule.parent].empty()) waiting_.push_back(rule.parent);
            }
        }
    }

    size_t symbols_, width_ = 0;
    std::vector<float> chart_;
    std::vector<std::vector<int32_t>> alive_;
    std::vector<int32_t> waiting_;
};

}  // namespace

// Rules are columns of parents and children. Sentence s has the emissions from offsets[s] on.
extern "C" void best_scores(int32_t symbols, int32_t root, int64_t binaries, const int32_t* binary,
                            const float* binary_weights, int64_t unaries, const int32_t* unary,
                            const float* unary_weights, int64_t sentences, const int64_t* lengths,
                            const int64_t* offsets, const int32_t* positions, const int32_t* tags,
                            const float* weights, float* scores) {
    Parser parser(symbols);
    for (int64_t r = 0; r < binaries; ++r)
        parser.by_left[binary[binaries + r]].push_back({binary[2 * binaries + r], binary[r], binary_weights[r]});
    for (int64_t r = 0; r < unaries; ++r) parser.by_child[unary[unaries + r]].push_back({unary[r], unary_weights[r]});
    for (int64_t s = 0; s < sentences; ++s) {
        const int64_t first = offsets[s];
        scores[s] = parser.best(static_cast<size_t>(lengths[s]), root, static_cast<size_t>(offsets[s + 1] - first),
                                positions + first, tags + first, weights + first);
    }
}
