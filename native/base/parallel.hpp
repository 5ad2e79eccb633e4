// Work in numbered pieces over a few threads. The pieces, not the threads, own the results, and the caller
// adds these up in the order of the pieces: so what comes out does not depend on the number of threads.
#pragma once
#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

#include "base/pieces.hpp"

namespace palmette {

// Calls work(piece, thread) for every piece once. An exception of one piece, or Ctrl-C between two of them, is raised
// when all threads are done.
template <class Work>
void parallel(std::size_t n_pieces, int n_jobs, Work&& work) {
    auto checked = [&work](std::size_t piece, std::size_t thread) {
        check_interrupt();
        work(piece, thread);
    };
    const std::size_t threads = std::min(most_threads(n_jobs), n_pieces);
    if (threads <= 1) {
        for (std::size_t piece = 0; piece < n_pieces; ++piece) checked(piece, std::size_t{0});
        return;
    }
    Pieces pieces(n_pieces, checked);
    std::vector<std::thread> others;
    others.reserve(threads - 1);
    try {
        for (std::size_t thread = 1; thread < threads; ++thread) {
            others.emplace_back([&pieces, thread] { pieces.take(thread); });
        }
    } catch (const std::system_error&) {
        // The threads that did start do the work.
    }
    pieces.take(0);
    for (std::thread& other : others) other.join();
    pieces.check();
}

}  // namespace palmette
