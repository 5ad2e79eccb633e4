// The shape of dependency graphs given as heads: word m of 1 … n has the head heads[m - 1], 0 is the artificial root.
// A word whose head is outside 0 … n has no head. Nothing is assumed about the heads: cycles, loops and words without a head have answers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace palmette::dependency {

enum Flag : std::uint8_t {
    kHeaded = 1,        // every word has a head
    kSingleRooted = 2,  // exactly one word hangs from the root
    kAcyclic = 4,
    kConnected = 8,  // as a graph without directions; with one head per word this is a tree
    kProjective = 16,
    kWellNested = 32,
};

struct Shape {
    std::uint8_t flags = 0;
    std::int32_t gap_degree = 0;
    std::int32_t depth = -1;  // arcs on the longest path from the root; -1 if it is not a tree
};

// O(n log n), and O(n log² n) where a projection has a gap. `crossed[m - 1]` becomes 1 if the arc to m is not
// projective: if its head does not dominate every word between the two.
Shape shape_of(std::span<const std::int32_t> heads, std::uint8_t* crossed);

// Lifts words of a tree until it is projective, the shortest arc first and of these the leftmost (Nivre & Nilsson 2005):
// the head of its word becomes the head of its head. `lifts[m - 1]` counts the lifts of word m. False if it is not a tree.
// A lift costs the subtree of the old head and the length of its arcs.
bool projectivise(std::span<std::int32_t> heads, std::int32_t* lifts);

}  // namespace palmette::dependency
