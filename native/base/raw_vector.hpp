// Long vectors that are written once and then read. They begin with whatever was there, not with zeros: the threads
// that fill them are the first to touch their pages, which one thread alone would spend as long on as on the work.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace palmette {

// Begins where cache lines do.
template <class T>
struct RawAllocator {
    static_assert(std::is_trivially_copyable_v<T>);
    static constexpr std::align_val_t alignment{64};
    using value_type = T;

    RawAllocator() = default;
    template <class U>
    RawAllocator(const RawAllocator<U>&) {}

    T* allocate(std::size_t n) {
        if (n > std::size_t(-1) / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(::operator new(n * sizeof(T), alignment));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, alignment); }

    template <class U>
    void construct(U*) noexcept {}
    template <class U, class... Values>
    void construct(U* p, Values&&... values) {
        ::new (static_cast<void*>(p)) U(std::forward<Values>(values)...);
    }
    bool operator==(const RawAllocator&) const = default;
};

// `RawVector<T>(n)` and `resize(n)` leave new items undefined; `RawVector<T>(n, value)` and `resize(n, value)` do not.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace palmette
