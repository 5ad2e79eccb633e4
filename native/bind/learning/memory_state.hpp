// What a learner remembers as bytes, so that a training can be put away and go on: for pickling between two passes.
//
// `each_field(archive, memory)` gives the fields of a memory to an archive, which writes them down one after another, or
// reads them in the same order. The bytes are of this machine and this version.
#pragma once
#include <cstring>
#include <string>
#include <type_traits>

#include "bind/learning/problem.hpp"

namespace palmette {

class StateWriter {
public:
    std::string bytes;

    template <class... Fields>
    void operator()(const Fields&... fields) {
        (write(fields), ...);
    }

private:
    template <class T>
    void write(const T& value) {
        if constexpr (std::is_trivially_copyable_v<T>) raw(&value, sizeof value);
        else each_field(*this, const_cast<T&>(value));
    }
    template <class T, class Allocator>
    void write(const std::vector<T, Allocator>& values) {
        const std::uint64_t n = values.size();
        raw(&n, sizeof n);
        if constexpr (std::is_trivially_copyable_v<T>) raw(values.data(), n * sizeof(T));
        else
            for (const T& value : values) write(value);
    }
    void raw(const void* data, std::size_t size) {
        if (size) bytes.append(static_cast<const char*>(data), size);
    }
};

class StateReader {
public:
    StateReader(const char* data, std::size_t size) : at_(data), left_(size) {}

    template <class... Fields>
    void operator()(Fields&... fields) {
        (read(fields), ...);
    }
    void require_end() const { require(left_ == 0, "the state of a memory is too long: was it written by another version?"); }

private:
    template <class T>
    void read(T& value) {
        if constexpr (std::is_trivially_copyable_v<T>) raw(&value, sizeof value);
        else each_field(*this, value);
    }
    template <class T, class Allocator>
    void read(std::vector<T, Allocator>& values) {
        std::uint64_t n = 0;
        raw(&n, sizeof n);
        require(n <= left_, kShort);  // each takes a byte at least
        if constexpr (std::is_trivially_copyable_v<T>) {
            require(n <= left_ / sizeof(T), kShort);
            std::vector<T, Allocator> made(n);
            raw(made.data(), n * sizeof(T));
            values = std::move(made);
        } else {
            values.clear();
            values.resize(n);
            for (T& value : values) read(value);
        }
    }
    void raw(void* to, std::size_t size) {
        require(size <= left_, kShort);
        if (size) std::memcpy(to, at_, size);
        at_ += size;
        left_ -= size;
    }

    static constexpr const char* kShort = "the state of a memory is too short: was it written by another version?";
    const char* at_;
    std::size_t left_;
};

template <class A> void each_field(A& a, SparseVector& v) { a(v.entries); }
template <class A> void each_field(A& a, Average& m) { a(m.late, m.mass, m.total); }
template <class A> void each_field(A& a, WorkingSet::Constraint& c) { a(c.d, c.loss, c.alpha, c.slope); }
template <class A> void each_field(A& a, SagMemory& m) {
    a(m.parts, m.at, m.seen, m.losses, m.loss, m.gradient, m.trial, m.caught_up, m.steps, m.scale, m.lipschitz, m.n_seen, m.t);
}
template <class A> void each_field(A& a, PerceptronMemory& m) { a(m.votes, m.most, m.margin, m.average, m.radius, m.updates, m.survived); }
template <class A> void each_field(A& a, MiraMemory& m) { a(m.average, m.scratch); }
template <class A> void each_field(A& a, ArowMemory& m) { a(m.variance, m.scratch); }
template <class A> void each_field(A& a, SubgradientMemory& m) { a(m.average, m.scale, m.norm, m.t, m.scratch); }
template <class A> void each_field(A& a, FrankWolfeMemory& m) { a(m.blocks, m.losses, m.loss, m.average, m.late_loss, m.t); }
template <class A> void each_field(A& a, DualMemory& m) { a(m.at, m.scores, m.marginals, m.value, m.rate, m.trial, m.values, m.hinge); }
template <class A> void each_field(A& a, WorkingSet& m) { a(m.of, m.weights, m.w, m.search, m.size); }

// Lets Python pickle a memory.
template <class Memory>
void bind_state(nb::class_<Memory>& c) {
    c.def("__getstate__", [](const Memory& memory) {
        StateWriter writer;
        each_field(writer, const_cast<Memory&>(memory));
        return nb::bytes(writer.bytes.data(), writer.bytes.size());
    });
    c.def("__setstate__", [](Memory& memory, const nb::bytes& state) {
        Memory made{};
        StateReader reader(state.c_str(), state.size());
        each_field(reader, made);
        reader.require_end();
        new (&memory) Memory(std::move(made));
    });
}

}  // namespace palmette
