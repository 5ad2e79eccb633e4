// Numbered pieces of work that several threads take, one after another, until none is left.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

#include "base/interrupt.hpp"

namespace palmette {

// How many threads may work, of n_jobs that are asked for. More than a few for every processor gain nothing, and every
// one wants some megabytes of addresses.
inline std::size_t most_threads(int n_jobs) {
    const unsigned most = std::max(64u, 2 * std::thread::hardware_concurrency());
    return n_jobs < 1 ? 1 : std::min(static_cast<unsigned>(n_jobs), most);
}

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
