// The best dependency tree under scores of arcs and of neighbouring siblings, all trees allowed: NP-hard in general, so
// by dual decomposition, which knows when it has found the best one. Koo, Rush, Collins, Jaakkola & Sontag 2010.
//
//     score(tree) = Σ arcs s(h, m)  +  Σ sib(h, m, p)
//
// p is the dependent of h before m on the same side, nearer to h, and h itself for the first one. Two easy problems
// share the arcs' scores: a spanning tree y, and for every head its best dependents z without regard to the others
// (a chain on each side). Prices u on arcs make them agree:
//     bound(u) = max_y Σ (s/2 + u) y + max_z Σ sib(z) + (s/2 − u) z  ≥  every tree's score,   u ← u − η (y − z)
// Where y = z, or a tree reaches the bound, that tree is the best. An iteration costs O(n²) and O(n²) more for every
// head whose prices have changed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palmette {

struct CertifiedTree {
    std::vector<std::int32_t> heads;
    double score = 0, bound = 0;
    bool is_best = false;
    std::size_t iterations = 0;
};

// scores [h][m]; siblings [h][m][p], both n + 1 wide. No heads where no tree with a score was found.
CertifiedTree dual_decomposition(const double* scores, const double* siblings, std::size_t n, bool single_root,
                                 std::size_t max_iter);

// The score of a tree; minus infinity where it uses something forbidden.
double sibling_score(const double* scores, const double* siblings, std::size_t n, const std::int32_t* heads);

}  // namespace palmette
