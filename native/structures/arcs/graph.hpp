// The arcs that a sentence's tree may have, and the parts that they make together with grandparents and siblings.
//
// A part is (g → h → m, s): the arc h → m, the head g of h, and s, the neighbour of m among the modifiers of h on the
// same side, nearer to h; or none, if m is the first on its side. The parts of arc a form a table of `slots(a)` rows
// (one for each arc that may enter h) and `inner(a) + 1` columns (none, then siblings from the nearest to m inwards).
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace palmette {

inline constexpr float kNoArc = -std::numeric_limits<float>::infinity();  // the score of what is not allowed

class ArcGraph {
public:
    std::size_t n = 0;                  // words are 1 … n, the root is 0
    bool single_root = true;
    bool grandparents = true;           // without them a part has one row, whatever enters h
    std::vector<std::int32_t> head, mod;    // by arc, sorted by modifier, then head
    std::vector<std::int32_t> in;           // arcs that enter m: in[m] … in[m + 1]
    std::vector<std::int32_t> out, out_at;  // arcs that leave h by modifier: out[out_at[h]] … out[out_at[h + 1]]
    std::vector<std::int32_t> place;        // of an arc in `out`
    std::vector<std::int32_t> inner;        // how many possible siblings lie inside
    std::vector<std::size_t> part_at;       // where the table of an arc begins; one more at the end
    std::vector<std::size_t> row_at;        // the same for tables of one column (grandparents)
    std::vector<std::size_t> column_at;     // and of one row (siblings)

    std::size_t arcs() const { return head.size(); }
    std::size_t parts() const { return part_at.back(); }
    std::size_t slots(std::size_t a) const {
        const std::int32_t h = head[a];
        return grandparents && h ? static_cast<std::size_t>(in[h + 1] - in[h]) : 1;
    }
    std::size_t columns(std::size_t a) const { return static_cast<std::size_t>(inner[a]) + 1; }
    // The arc from the same head to the sibling of column j ≥ 1.
    std::size_t sibling(std::size_t a, std::size_t j) const {
        const std::int32_t step = static_cast<std::int32_t>(j);
        return static_cast<std::size_t>(out[head[a] < mod[a] ? place[a] - step : place[a] + step]);
    }
    // The row of the parts of h's arcs when arc b enters h.
    std::size_t slot(std::size_t b) const { return grandparents ? b - static_cast<std::size_t>(in[mod[b]]) : 0; }
    // The head of slot g of arc a; only with grandparents and h ≠ 0.
    std::int32_t grandparent(std::size_t a, std::size_t g) const { return head[static_cast<std::size_t>(in[head[a]]) + g]; }
    std::int64_t find(std::int32_t h, std::int32_t m) const {
        for (std::int32_t a = in[m]; a < in[m + 1]; ++a)
            if (head[a] == h) return a;
        return -1;
    }

    // The graph of the arcs for which keep(h, m) holds; m in 1 … n, h in 0 … n, h ≠ m.
    template <class Keep>
    void build(std::size_t words, bool single, bool with_grandparents, Keep&& keep) {
        n = words;
        single_root = single;
        grandparents = with_grandparents;
        head.clear();
        mod.clear();
        in.assign(n + 2, 0);
        out_at.assign(n + 2, 0);
        for (std::size_t m = 1; m <= n; ++m) {
            in[m] = static_cast<std::int32_t>(head.size());
            for (std::size_t h = 0; h <= n; ++h)
                if (h != m && keep(h, m)) {
                    head.push_back(static_cast<std::int32_t>(h));
                    mod.push_back(static_cast<std::int32_t>(m));
                    ++out_at[h + 1];
                }
        }
        in[n + 1] = static_cast<std::int32_t>(head.size());
        index();
    }

private:
    void index();
};

}  // namespace palmette
