// The configuration of a transition-based parser: a stack, a buffer, and the arcs made so far.
//
// Words are 1 … n and 0 is the root, which lies either at the bottom of the stack or behind the last word of the buffer. What
// features ask of a word (its outermost two children on both sides, how many it has, and their labels) is kept up to date by `attach`.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace palmette {

inline constexpr std::int32_t kNone = -1;  // no word, no head, no label

struct ParsedWord {
    std::int32_t head = kNone, label = kNone;
    std::int32_t left = kNone, left2 = kNone, right = kNone, right2 = kNone;  // outermost and next to outermost children
    std::uint16_t n_left = 0, n_right = 0;
    bool stacked = false;
    std::uint64_t left_labels = 0, right_labels = 0;  // sets, of labels modulo 64
};

struct Configuration {
    std::int32_t n = 0;
    bool root_last = false;
    std::int32_t front = 1;              // the first word that was never shifted; n + 1 stands for a root that comes last
    std::int32_t headless = 0;           // words on the stack without a head
    std::int64_t swaps = 0;              // words that were given back so far
    std::vector<std::int32_t> stack;
    std::vector<std::int32_t> returned;  // words that went back to the buffer, the first of the buffer last
    std::vector<ParsedWord> words;       // [n + 1]

    void start(std::size_t length, bool last) {
        n = static_cast<std::int32_t>(length);
        root_last = last;
        front = 1;
        headless = 0;
        swaps = 0;
        stack.clear();
        returned.clear();
        words.assign(length + 1, ParsedWord{});
        if (!root_last) stack.push_back(0);
    }

    // The k-th word from the top of the stack.
    std::int32_t top(std::size_t k) const { return k < stack.size() ? stack[stack.size() - 1 - k] : kNone; }
    // The k-th word of the buffer; 0 is the root.
    std::int32_t next(std::size_t k) const {
        if (k < returned.size()) return returned[returned.size() - 1 - k];
        const std::int32_t at = front + static_cast<std::int32_t>(k - returned.size());
        return at <= n ? at : root_last && at == n + 1 ? 0 : kNone;
    }
    bool only_root_left() const { return next(0) <= 0; }  // or not even that

    void push_next() {
        const std::int32_t word = next(0);
        if (returned.empty()) ++front;
        else returned.pop_back();
        stack.push_back(word);
        words[word].stacked = true;
        headless += words[word].head < 0;
    }
    void pop(std::size_t k = 0) {
        const std::int32_t word = top(k);
        headless -= words[word].head < 0;
        words[word].stacked = false;
        stack.erase(stack.end() - 1 - static_cast<std::ptrdiff_t>(k));
    }
    // The word leaves the stack for the front of the buffer.
    void give_back(std::size_t k) {
        const std::int32_t word = top(k);
        pop(k);
        returned.push_back(word);
        ++swaps;
    }

    // An arc, before the words concerned leave or enter the stack.
    void attach(std::int32_t head, std::int32_t word, std::int32_t label) {
        headless -= words[word].stacked;
        words[word].head = head;
        words[word].label = label;
        ParsedWord& h = words[head];
        const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::uint32_t>(label) & 63);
        if (word < head) {
            ++h.n_left;
            h.left_labels |= bit;
            if (h.left < 0 || word < h.left) h.left2 = h.left, h.left = word;
            else if (h.left2 < 0 || word < h.left2) h.left2 = word;
        } else {
            ++h.n_right;
            h.right_labels |= bit;
            if (word > h.right) h.right2 = h.right, h.right = word;
            else if (word > h.right2) h.right2 = word;
        }
    }
};

}  // namespace palmette
