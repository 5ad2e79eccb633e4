// The k best trees of a forest whose edges, rises and words have scores: lazily (Huang and Chiang 2005, algorithm 3).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tools/constituency/latent/forest.hpp"

namespace palmette {

class LatentKBest {
  public:
    // Scores are logs or anything else that is added up; those of items count below alone.
    LatentKBest(const LatentForest& forest, std::span<const float> edges, std::span<const float> rises,
                std::span<const float> items);

    // The root of the rank-th best tree, from 0 on, among nodes that all trees share; -1 if there are fewer trees. The
    // value is its score. New nodes are added to those that are there from better trees.
    std::int32_t tree(std::size_t rank, LatentTree& nodes, float& value);

  private:
    struct Found {
        float value;
        std::int32_t way;               // edge, rise or root
        std::int32_t rule;              // of an edge
        std::int32_t first, second;     // ranks of the children
        bool operator<(const Found& other) const {
            if (value != other.value) return value < other.value;
            if (way != other.way) return way > other.way;
            return first != other.first ? first > other.first : second > other.second;
        }
    };
    struct Ranked {
        std::vector<Found> found;
        std::vector<Found> next;            // a heap
        std::vector<std::int32_t> written;  // by rank, its node
        bool started = false;
    };
    bool reach(std::int32_t item, std::size_t rank);
    void start(std::int32_t item);
    void follow(std::int32_t item, const Found& found);
    void push(std::int32_t item, const Found& found);
    std::int32_t write(std::int32_t item, std::size_t rank, LatentTree& nodes);

    const LatentForest& forest_;
    std::span<const float> edges_, rises_, items_;
    std::vector<float> best_;
    std::vector<Ranked> ranked_;  // of every item; the last stands for the root
};

}  // namespace palmette
