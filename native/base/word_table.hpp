// The words of a language model and their numbers, in order of first appearance. A lookup is O(length).
// It owns its text, unlike Interner, since the text that it reads goes by in pieces. A word is found by its hash of 64
// bits alone, so that one line of memory is read, which can be fetched ahead; should two words of a table ever agree
// in it, their letters are compared too.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/hashing.hpp"

namespace palmette {

class WordTable {
public:
    static constexpr std::uint32_t unknown = 0, begin = 1, end = 2;

    // An empty table, or one that begins with <unk>, <s> and </s>.
    explicit WordTable(bool with_marks = true) : slots_(1024), offsets_{0} {
        if (with_marks)
            for (const std::string_view mark : {"<unk>", "<s>", "</s>"}) intern(mark);
    }

    // Words that lie one after another in `text`, cut at `offsets`, which the caller has checked. Equal words: the first.
    WordTable(std::span<const char> text, std::span<const std::int64_t> offsets) : WordTable(false) {
        std::size_t slots = slots_.size();
        while (2 * slots < 3 * (offsets.size() + 1)) slots *= 2;
        slots_.assign(slots, {});
        text_.reserve(text.size());
        offsets_.reserve(offsets.size());
        const std::size_t n = offsets.empty() ? 0 : offsets.size() - 1;
        const auto word = [&](std::size_t i) {
            return std::string_view(text.data() + offsets[i], offsets[i + 1] - offsets[i]);
        };
        constexpr std::size_t kAhead = 16;
        std::uint64_t hashes[kAhead];
        for (std::size_t i = 0; i < n + kAhead; ++i) {
            const std::size_t old = i - kAhead;
            if (i >= kAhead && intern(word(old), hashes[i % kAhead]) != old)
                throw std::invalid_argument("a word appears twice in the vocabulary");
            if (i < n) prefetch(hashes[i % kAhead] = hash_string(word(i)));
        }
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
    std::string_view word(std::uint32_t id) const { return {text_.data() + offsets_[id], offsets_[id + 1] - offsets_[id]}; }
    const std::vector<char>& text() const { return text_; }
    const std::vector<std::uint64_t>& offsets() const { return offsets_; }

    // The number of a word, or `unknown`.
    std::uint32_t find(std::string_view word) const { return find(word, hash_string(word)); }
    std::uint32_t find(std::string_view word, std::uint64_t hash) const {
        for (std::size_t at = hash & mask(); slots_[at].id != kFree; at = (at + 1) & mask())
            if (slots_[at].hash == hash && (!ambiguous_ || this->word(slots_[at].id) == word)) return slots_[at].id;
        return unknown;
    }
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask()]); }

    bool contains(std::string_view word) const {
        return find(word) != unknown || (size() && this->word(unknown) == word);
    }

    std::uint32_t intern(std::string_view word) { return intern(word, hash_string(word)); }
    std::uint32_t intern(std::string_view word, std::uint64_t hash) {
        std::size_t at = hash & mask();
        for (; slots_[at].id != kFree; at = (at + 1) & mask()) {
            if (slots_[at].hash != hash) continue;
            if (this->word(slots_[at].id) == word) return slots_[at].id;
            ambiguous_ = true;
        }
        const std::uint32_t id = size();
        if (id == kFree - 1) throw std::length_error("more than four thousand million different words");
        slots_[at] = {hash, id};
        text_.insert(text_.end(), word.begin(), word.end());
        offsets_.push_back(text_.size());
        if (3 * offsets_.size() > 2 * slots_.size()) grow();
        return id;
    }

private:
    static constexpr std::uint32_t kFree = 0xFFFFFFFFu;
    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t id = kFree;
    };

    std::size_t mask() const { return slots_.size() - 1; }

    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.id == kFree) continue;
            std::size_t at = slot.hash & mask();
            while (slots_[at].id != kFree) at = (at + 1) & mask();
            slots_[at] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::vector<char> text_;
    std::vector<std::uint64_t> offsets_;
    bool ambiguous_ = false;  // whether two words have the same hash
};

}  // namespace palmette
