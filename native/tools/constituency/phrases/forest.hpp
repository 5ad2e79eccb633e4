// Trees of phrases over one sentence that share their subtrees: each distinct one is there once.
//
// The k best trees of a sentence differ in a few nodes. Where a subtree is its label and the numbers of its children,
// equal subtrees have equal numbers, so whatever is done for each of them (a Python object, a sum of scores) is done once.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/hashing.hpp"

namespace palmette {

class PhraseForest {
public:
    std::size_t size() const { return labels_.size(); }
    std::int32_t label(std::size_t v) const { return labels_[v]; }
    // The children of a node, which come before it; none below a tag.
    std::span<const std::int32_t> children(std::size_t v) const {
        return {kids_.data() + begin_[v], static_cast<std::size_t>(begin_[v + 1] - begin_[v])};
    }
    // The first word below.
    std::int32_t start(std::size_t v) const { return starts_[v]; }
    const std::vector<std::int32_t>& roots() const { return roots_; }

    // A tree is given as its brackets in preorder, from the last to the first: those with nothing below are tags. The tree
    // is complete with `finish`. std::invalid_argument for brackets that cross or leave words out. O(children).
    void take(std::int32_t label, std::int32_t start, std::int32_t end);
    void finish(std::int32_t n);

private:
    struct Open {
        std::int32_t node, end;
    };
    std::int32_t numbered(std::int32_t label, std::int32_t start, std::span<const std::int32_t> children);
    void grow();

    std::vector<std::int32_t> labels_, starts_, kids_, roots_;
    std::vector<std::int64_t> begin_{0};
    std::vector<std::uint64_t> hashes_;
    std::vector<std::int32_t> slots_;  // open addressing; -1: free
    std::vector<Open> open_;           // subtrees whose parents are to come, the leftmost last
    std::vector<std::int32_t> below_;
};

}  // namespace palmette
