// Work in numbered pieces over a few threads. The pieces, not the threads, own the results, and the caller
// adds these up in the order of the pieces: so what comes out does not depend on the number of threads.
#pragma once
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace palmette {

// Calls work(piece, thread) for every piece once. An exception of one piece is raised when all threads are done.
template <class Work>
void parallel(std::size_t pieces, int n_jobs, Work&& work) {
    const std::size_t threads = std::min<std::size_t>(n_jobs < 1 ? 1 : n_jobs, pieces);
    if (threads <= 1) {
        for (std::size_t piece = 0; piece < pieces; ++piece) work(piece, std::size_t{0});
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    std::mutex guard;
    const auto loop = [&](std::size_t thread) {
        try {
            for (std::size_t piece; (piece = next++) < pieces;) work(piece, thread);
        } catch (...) {
            std::lock_guard lock(guard);
            if (!error) error = std::current_exception();
            next = pieces;
        }
    };
    std::vector<std::thread> others;
    for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(loop, thread);
    loop(0);
    for (std::thread& other : others) other.join();
    if (error) std::rethrow_exception(error);
}

}  // namespace palmette
