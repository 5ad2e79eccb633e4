#include "base/text.hpp"

#include <cstdio>

namespace palmette {

Lines::Lines(std::string_view text) : rest_(text) {
    if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);
}

bool Lines::next(std::string_view& line) {
    if (rest_.empty()) return false;
    ++number_;
    const void* end = std::memchr(rest_.data(), '\n', rest_.size());
    const std::size_t length = end ? static_cast<const char*>(end) - rest_.data() : rest_.size();
    line = rest_.substr(0, length);
    rest_.remove_prefix(end ? length + 1 : length);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
}

namespace {

// The length of the UTF-8 character at the beginning of `text`, 0 if there is none (Unicode, table 3-7).
std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
    const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
        return continues(1) && continues(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
        return continues(1) && continues(2) && continues(3) ? 4 : 0;
    }
    return 0;
}

// The place of the first byte that is neither an ASCII character of `fit` nor part of a UTF-8 character; or npos.
template <class Fit>
std::size_t first_unfit(std::string_view text, Fit fit) {
    for (std::size_t i = 0; i < text.size();) {
        const unsigned char byte = text[i];
        if (byte < 0x80) {
            if (!fit(byte)) return i;
            ++i;
        } else {
            const std::size_t length = character_length(text.substr(i));
            if (length == 0) return i;
            i += length;
        }
    }
    return std::string_view::npos;
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
    return first_unfit(text, [](unsigned char) { return true; });
}

std::size_t first_bad_byte(std::string_view text) {
    return first_unfit(text, [](unsigned char byte) { return byte != '\0' && byte != '\r'; });
}

std::string explain_bad_byte(std::string_view text, std::size_t place) {
    const unsigned char byte = text[place];
    const std::string offset = std::to_string(place);
    if (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF")
        return "the file is UTF-16, not UTF-8 (it begins with that byte order mark): save it as UTF-8";
    if (byte == '\0') return "NUL byte at offset " + offset + ": this is not a text file";
    if (byte == '\r')
        return "carriage return inside a line at byte offset " + offset + ": end lines with \\n or \\r\\n";
    char hex[8];
    std::snprintf(hex, sizeof hex, "0x%02x", byte);
    return std::string("byte ") + hex + " at offset " + offset + " is not UTF-8: save the file as UTF-8";
}

std::string quoted(std::string_view text) {
    constexpr std::size_t limit = 40;
    std::string out = "'";
    std::size_t i = 0;
    while (i < text.size() && i < limit) {
        const std::size_t length = character_length(text.substr(i));
        const unsigned char byte = text[i];
        if (length == 0 || byte < 0x20 || byte == 0x7F) {
            out += byte == '\t' ? "\\t" : "?";
            ++i;
        } else {
            out += text.substr(i, length);
            i += length;
        }
    }
    return out + (i < text.size() ? "…'" : "'");
}

}  // namespace palmette
