// The memory that one search may take.
#pragma once
#include <cstddef>
#include <exception>

namespace palmette {

// Thrown where a search wants more than it may take.
struct OverBudget : std::exception {
    const char* what() const noexcept override { return "a search needs more memory than it may take"; }
};

class Budget {
public:
    explicit Budget(std::size_t bytes) : left_(bytes) {}
    // Count bytes before they are allocated.
    void take(std::size_t bytes) {
        if (bytes > left_) throw OverBudget();
        left_ -= bytes;
    }
    // For a vector that grows by one: while it moves to a larger place, it takes up to three times its size.
    template <class T>
    void take_one() {
        take(2 * sizeof(T));
    }

private:
    std::size_t left_;
};

}  // namespace palmette
