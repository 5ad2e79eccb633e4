#include "features/values.hpp"

namespace palmette {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

void FeatureValues::add_prefix(std::string_view string, int length, bool whole) {
    std::size_t end = 0;
    int n = 0;
    for (; n < length && end < string.size(); ++n) {
        ++end;
        while (end < string.size() && continues(string[end])) ++end;
    }
    end < string.size() || (whole && n == length) ? add(string.substr(0, end)) : add_absent();
}

void FeatureValues::add_suffix(std::string_view string, int length, bool whole) {
    std::size_t begin = string.size();
    int n = 0;
    for (; n < length && begin > 0; ++n) {
        --begin;
        while (begin > 0 && continues(string[begin])) --begin;
    }
    begin > 0 || (whole && n == length) ? add(string.substr(begin)) : add_absent();
}

}  // namespace palmette
