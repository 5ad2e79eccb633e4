// Long vectors that begin with zeros and stay so for the most part: pages that nobody writes to take no memory.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

namespace palmette {

template <class T>
struct ZeroAllocator {
    using value_type = T;
    ZeroAllocator() = default;
    template <class U>
    ZeroAllocator(const ZeroAllocator<U>&) {}
    T* allocate(std::size_t n) {
        void* p = std::calloc(n ? n : 1, sizeof(T));
        if (!p) throw std::bad_alloc();
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t) { std::free(p); }
    // Zeros are there already.
    template <class U>
    void construct(U*) noexcept {}
    template <class U, class... Values>
    void construct(U* p, Values&&... values) {
        ::new (static_cast<void*>(p)) U(std::forward<Values>(values)...);
    }
    bool operator==(const ZeroAllocator&) const = default;
};

// Numbers only. Make one of a size, or resize an empty one: growing one that was shrunk would bring back old values.
template <class T>
using ZeroedVector = std::vector<T, ZeroAllocator<T>>;

}  // namespace palmette
