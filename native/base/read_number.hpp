// A number at the beginning of a text: std::from_chars, also for floats where the C++ library has that for whole numbers alone
// (libc++, and so macOS).
#pragma once
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <locale.h>
#include <string>
#include <type_traits>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

namespace palmette {

// The C library reads a float. It would also take blanks, a plus and hexadecimal digits, and the decimal point of the user's language.
template <class Real>
std::from_chars_result read_float(const char* begin, const char* end, Real& value) {
    const std::string text(begin, end);
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    const char first = sign < text.size() ? text[sign] : '\0';
    const bool letter = first == 'i' || first == 'I' || first == 'n' || first == 'N';
    if (!letter && first != '.' && !(first >= '0' && first <= '9')) return {begin, std::errc::invalid_argument};
    if (first == '0' && sign + 1 < text.size() && (text[sign + 1] == 'x' || text[sign + 1] == 'X')) {
        value = sign ? -Real(0) : Real(0);
        return {begin + sign + 1, std::errc()};
    }
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    char* stop = nullptr;
    errno = 0;
    Real found;
    if constexpr (std::is_same_v<Real, float>)
        found = strtof_l(text.c_str(), &stop, plain);
    else
        found = strtod_l(text.c_str(), &stop, plain);
    if (stop == text.c_str()) return {begin, std::errc::invalid_argument};
    const char* after = begin + (stop - text.c_str());
    if (errno == ERANGE && (found == 0 || std::isinf(found))) return {after, std::errc::result_out_of_range};
    value = found;
    return {after, std::errc()};
}

template <class Number>
std::from_chars_result read_number(const char* begin, const char* end, Number& value) {
#if !defined(__cpp_lib_to_chars)
    if constexpr (std::is_floating_point_v<Number>) return read_float(begin, end, value);
    else
#endif
        return std::from_chars(begin, end, value);
}

}  // namespace palmette
