// Numbered pieces of work that several threads take, one after another, until none is left.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>

#include "base/interrupt.hpp"

namespace palmette {

template <class Work>
class Pieces {
public:
    Pieces(std::size_t n, Work& work) : n_(n), work_(work), stop_(interrupt_state.stop) {}
    Pieces(const Pieces&) = delete;
    Pieces& operator=(const Pieces&) = delete;

    // Calls work(piece, thread) for pieces in their order as long as there are any that nobody has taken. Thread 0 is
    // the one that called for the work.
    void take(std::size_t thread) {
        const InterruptScope scope(stop_, thread == 0);
        try {
            for (std::size_t piece; (piece = next_++) < n_;) work_(piece, thread);
        } catch (...) {
            std::lock_guard lock(guard_);
            if (!error_) error_ = std::current_exception();
            next_ = n_;
            stop_.set();
        }
    }

    // Raises the first exception of a piece; to be called when all threads are done.
    void check() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    std::size_t n_;
    Work& work_;
    Stop stop_;
    std::atomic<std::size_t> next_{0};
    std::exception_ptr error_;
    std::mutex guard_;
};

}  // namespace palmette
