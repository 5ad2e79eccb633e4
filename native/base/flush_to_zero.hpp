// While one lives, numbers too small for a normal float are zero in this thread: arithmetic with them is a hundred
// times slower, and what they stand for is nothing. A no-op where the processor has no such switch.
#pragma once
#if defined(__SSE__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace palmette {

class FlushToZero {
public:
#if defined(__SSE__) || defined(_M_X64)
    FlushToZero() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040); }
    ~FlushToZero() { _mm_setcsr(before_); }

private:
    unsigned before_;
#else
    FlushToZero() {}
#endif
public:
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;
};

}  // namespace palmette
