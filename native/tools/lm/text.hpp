// Text becomes numbers of words: every line is a sentence, <s> w1 … wn </s>, its words cut at white space.
// Reading is O(bytes); several threads read pieces of a chunk and agree on the numbers afterwards, which are those
// of first appearance however many threads there are.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/raw_vector.hpp"
#include "base/word_table.hpp"

namespace palmette {

inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }
// The same without a branch, as 0 or 1.
inline std::uint8_t blank_byte(char c) {
    return std::uint8_t(c == ' ') | std::uint8_t(std::uint8_t(c - '\t') < 5) | std::uint8_t(c == '\0');
}

class NgramText {
public:
    enum class Marks { fail, skip };  // what to do with <s> and </s> in the text

    WordTable words;
    RawVector<std::uint32_t> tokens;  // of all sentences, with their ends
    std::uint64_t n_lines = 0;

    // Makes room for a text of about n_bytes bytes: memory that is not used takes none.
    void expect(std::uint64_t n_bytes);

    // Takes in whole lines; the last needs no line end. std::invalid_argument names the line of a word that is not allowed,
    // or not UTF-8; the text is of no use then.
    void add(std::string_view lines, Marks marks, int n_jobs);

    // How often each word occurs.
    std::vector<std::uint32_t> word_counts() const;
    // Makes the words that are not kept one unknown word. The numbers of the others stay in order.
    void keep(const std::vector<std::uint8_t>& kept);
    // Gives the words the numbers that they have in `all`; std::invalid_argument if one is missing there.
    void number_as(const WordTable& all);

private:
    // The words that one thread has seen so far, and their numbers among all.
    struct Reader {
        WordTable words;
        std::vector<std::uint32_t> number{WordTable::unknown, WordTable::begin, WordTable::end};
    };
    std::vector<Reader> readers_;
};

}  // namespace palmette
