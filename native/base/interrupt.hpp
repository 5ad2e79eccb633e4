// Ctrl-C in long loops: a loop calls check_interrupt() now and then, at least every few milliseconds of work and at a
// place where an exception leaves nothing half done. The call costs some nanoseconds.
//
// Only the interpreter's main thread learns of a signal. A thread that Python started asks the interpreter twenty times
// a second (in any other thread than the main one that answers nothing); threads that native code started never do, for
// they could wait for a lock that their own caller holds. All threads of one work share a Stop, which the first
// exception sets, so that all of them end.
#pragma once
#include <atomic>
#include <chrono>
#include <exception>

namespace palmette {

// Thrown where a loop ends because another thread of the same work has ended; Python sees a KeyboardInterrupt.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

// A wish that some work should end; it holds for work inside this work too.
class Stop {
public:
    explicit Stop(const Stop* outer) : outer_(outer) {}
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;
    void set() { set_.store(true, std::memory_order_relaxed); }
    bool is_set() const { return set_.load(std::memory_order_relaxed) || (outer_ && outer_->is_set()); }

private:
    const Stop* outer_;
    std::atomic<bool> set_{false};
};

// What a thread knows: the work that it does a part of, and whether it may ask the interpreter.
struct InterruptState {
    const Stop* stop = nullptr;
    bool asks = true;
    std::chrono::steady_clock::rep next = 0;  // when it asks again
};
inline thread_local constinit InterruptState interrupt_state;
inline void (*ask_interpreter)() = nullptr;  // throws if there is a signal; the module sets it when it is loaded

inline void check_interrupt() {
    InterruptState& own = interrupt_state;
    if (own.stop && own.stop->is_set()) throw Interrupted();
    if (!own.asks || !ask_interpreter) return;
    using Clock = std::chrono::steady_clock;
    const auto now = Clock::now().time_since_epoch().count();
    if (now < own.next) return;
    own.next = now + std::chrono::duration_cast<Clock::duration>(std::chrono::milliseconds(50)).count();
    ask_interpreter();
}

// For as long as it lives the thread is part of a work.
class InterruptScope {
public:
    InterruptScope(const Stop& stop, bool asks) : before_(interrupt_state) {
        interrupt_state.stop = &stop;
        interrupt_state.asks = asks && before_.asks;
    }
    ~InterruptScope() {
        interrupt_state.stop = before_.stop;
        interrupt_state.asks = before_.asks;
    }
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

private:
    const InterruptState before_;
};

}  // namespace palmette
