// A few threads that stay for several steps of one work. A step of a few milliseconds is over before a thread that
// is started for it has found a processor that is free; one that has just finished the step before has it already.
#pragma once
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "base/pieces.hpp"

namespace palmette {

class Crew {
public:
    explicit Crew(int n_jobs) {
        try {
            for (std::size_t thread = 1; thread < most_threads(n_jobs); ++thread) others_.emplace_back([this, thread] { serve(thread); });
        } catch (const std::system_error&) {
            // The threads that did start do the work.
        }
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        step_ = nullptr;
        begin();
        for (std::thread& other : others_) other.join();
    }

    std::size_t size() const { return others_.size() + 1; }

    // Calls work(piece, thread) for every piece once, as `parallel` does. A thread takes its pieces in their order.
    template <class Work>
    void operator()(std::size_t pieces, Work&& work) {
        if (others_.empty() || pieces < 2) {
            for (std::size_t piece = 0; piece < pieces; ++piece) work(piece, std::size_t{0});
            return;
        }
        using Taken = Pieces<std::remove_reference_t<Work>>;
        Taken taken(pieces, work);
        pieces_ = &taken;
        step_ = [](void* own, std::size_t thread) { static_cast<Taken*>(own)->take(thread); };
        busy_.store(others_.size(), std::memory_order_relaxed);
        begin();
        taken.take(0);
        for (std::size_t left; (left = changed(busy_, [](std::size_t n) { return n == 0; })) != 0;) busy_.wait(left);
        taken.check();
    }

private:
    static constexpr int kSpins = 2000;  // about a tenth of a millisecond

    // A value that is as it should be, or the one that was seen last.
    template <class Value, class Right>
    static Value changed(const std::atomic<Value>& value, Right right) {
        Value seen = value.load(std::memory_order_acquire);
        for (int i = 0; i < kSpins && !right(seen); ++i) {
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#elif defined(__aarch64__)
            asm volatile("yield");
#endif
            seen = value.load(std::memory_order_acquire);
        }
        return seen;
    }

    void begin() {
        n_steps_.fetch_add(1, std::memory_order_release);
        n_steps_.notify_all();
    }

    void serve(std::size_t thread) {
        for (unsigned done = 0;; ++done) {
            while (changed(n_steps_, [&](unsigned n) { return n != done; }) == done) n_steps_.wait(done);
            if (!step_) return;
            step_(pieces_, thread);
            if (busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) busy_.notify_one();
        }
    }

    void (*step_)(void*, std::size_t) = nullptr;  // what to do, with its state; nothing: to end
    void* pieces_ = nullptr;
    std::atomic<unsigned> n_steps_{0};
    std::atomic<std::size_t> busy_{0};
    std::vector<std::thread> others_;
};

}  // namespace palmette
