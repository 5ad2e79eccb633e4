#include "feature_values.hpp"

namespace palmette {

namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

void FeatureValues::add_prefix(std::string_view string, int length) {
    std::size_t end = 0;
    for (int n = 0; n < length && end < string.size(); ++n) {
        ++end;
        while (end < string.size() && continues(string[end])) ++end;
    }
    end < string.size() ? add(string.substr(0, end)) : add_absent();
}

void FeatureValues::add_suffix(std::string_view string, int length) {
    std::size_t begin = string.size();
    for (int n = 0; n < length && begin > 0; ++n) {
        --begin;
        while (begin > 0 && continues(string[begin])) --begin;
    }
    begin > 0 ? add(string.substr(begin)) : add_absent();
}

}  // namespace palmette
