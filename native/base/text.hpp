// Lines of a text, and checks of which bytes a line may contain.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace palmette {

// Walks over the lines of a text; a line ends with \n or \r\n, which are not part of it, or with the text.
// A byte order mark at the beginning is passed over.
class Lines {
public:
    explicit Lines(std::string_view text);

    bool next(std::string_view& line);
    std::int64_t number() const { return number_; }  // of the line read last; the first is 1

private:
    std::string_view rest_;
    std::int64_t number_ = 0;
};

// The place of the first byte that is part of no UTF-8 character; npos when there is none. O(length).
std::size_t first_invalid_utf8(std::string_view text);

// The same for what a line may not contain: also NUL and carriage returns.
std::size_t first_bad_byte(std::string_view text);

// What is wrong with the byte at `place`, and what to do, in a sentence; `place` counts from 0 in `text`.
std::string explain_bad_byte(std::string_view text, std::size_t place);

// Text from a file as a message may show it: cut when long, a tab as \t, other bytes than printable ASCII
// and UTF-8 as '?'.
std::string quoted(std::string_view text);

}  // namespace palmette
