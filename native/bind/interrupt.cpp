// Ctrl-C: native loops ask the interpreter, and Python tells loops in other threads that they should end.
#include "base/interrupt.hpp"

#include "bind/bind.hpp"

using namespace palmette;

namespace {

void ask() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// A Stop for threads that Python started. A thread is part of the work between enter and leave.
class StopFlag {
public:
    StopFlag() : stop_(nullptr) {}
    void set() { stop_.set(); }
    void enter() {
        if (stop_.is_set()) throw Interrupted();
        interrupt_state.stop = &stop_;
    }
    static void leave() { interrupt_state.stop = nullptr; }

private:
    Stop stop_;
};

}  // namespace

void bind_interrupt(nb::module_& m) {
    ask_interpreter = ask;
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const Interrupted&) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    });
    nb::class_<StopFlag>(m, "StopFlag")
        .def(nb::init<>())
        .def("set", &StopFlag::set, "Ask the loops of all threads that are part of the work to end.")
        .def("enter", &StopFlag::enter, "Make this thread part of the work; KeyboardInterrupt if the flag is set.")
        .def("leave", [](StopFlag&) { StopFlag::leave(); }, "Take this thread out of the work.");
}
