// Ends with 0 if read_float reads what std::from_chars reads, and stops where it stops.
#include "base/read_number.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <string>

namespace {

template <class Real, class Bits>
bool same(const std::string& text) {
    const char *begin = text.data(), *end = begin + text.size();
    Real ours = 42, theirs = 42;
    const auto [stop, error] = palmette::read_float(begin, end, ours);
    const auto [their_stop, their_error] = std::from_chars(begin, end, theirs);
    const bool equal = (ours != ours && theirs != theirs) || std::bit_cast<Bits>(ours) == std::bit_cast<Bits>(theirs);
    if (stop == their_stop && error == their_error && equal) return true;
    std::printf("'%s': %d characters, error %d, %.17g; not %d, %d, %.17g\n", text.c_str(), static_cast<int>(stop - begin),
                static_cast<int>(error), static_cast<double>(ours), static_cast<int>(their_stop - begin), static_cast<int>(their_error),
                static_cast<double>(theirs));
    return false;
}

}  // namespace

int main() {
    bool right = true;
    const auto read = [&](const std::string& text) {
        right &= same<float, std::uint32_t>(text);
        right &= same<double, std::uint64_t>(text);
    };
    for (const char* text : {"", "-", ".", "-.", "0", "-0", "1", "-1.5", "+1", " 1", "1 ", "1,5", "0x10", "-0x1p3", "0x", ".5", "5.", "1e5", "1e", "1e+",
                             "1E-3x", "1e50", "-1e50", "1e400", "1e-50", "1e-400", "1e-40", "1e-320", "-1e-320", "inf", "-inf", "Infinity", "nan",
                             "-nan", "i", "n", "e5", "--1", "-+1", "1.2.3", "340282356779733661637539395458142568447", "1.17549435e-38", "99",
                             "-99", "16777217", "0.1", "3.4028235677973366e38"})
        read(text);
    // Numbers of every size, from a small generator.
    std::uint64_t state = 1;
    for (int k = 0; k < 20000; ++k) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        char text[64];
        const double mantissa = static_cast<double>(static_cast<std::int64_t>(state)) / 1e15;
        std::snprintf(text, sizeof text, k % 2 ? "%.17ge%d" : "%.6g", mantissa, static_cast<int>(state >> 40) % 360 - 180);
        read(text);
    }
    return right ? 0 : 1;
}
