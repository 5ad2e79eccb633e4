// While one lives, numbers too small for a normal float are zero in this thread: arithmetic with them is a hundred
// times slower on some processors, and what they stand for is nothing. A no-op where the processor has no such switch.
#pragma once
#include <cstdint>
#if defined(__SSE__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace palmette {

class FlushToZero {
public:
    FlushToZero() : before_(control()) { set_control(before_ | kFlush); }
    ~FlushToZero() { set_control(before_); }
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;

private:
    // The register that says how this thread computes with floats, and its bits for small results and small operands.
#if defined(__SSE__) || defined(_M_X64)
    using Control = std::uint32_t;
    static constexpr Control kFlush = 0x8040;  // FTZ and DAZ
    static Control control() { return _mm_getcsr(); }
    static void set_control(Control value) { _mm_setcsr(value); }
#elif defined(__aarch64__)
    using Control = std::uint64_t;
    static constexpr Control kFlush = Control{1} << 24;  // FZ is for both
    static Control control() {
        Control value;
        asm volatile("mrs %0, fpcr" : "=r"(value));
        return value;
    }
    // The clobber keeps loads and stores, and so the loops between them, on their side of the switch.
    static void set_control(Control value) { asm volatile("msr fpcr, %0" : : "r"(value) : "memory"); }
#else
    using Control = std::uint32_t;
    static constexpr Control kFlush = 0;
    static Control control() { return 0; }
    static void set_control(Control) {}
#endif
    Control before_;
};

}  // namespace palmette
