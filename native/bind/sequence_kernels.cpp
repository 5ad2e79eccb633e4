#include "bind.hpp"
void bind_sequence_kernels(nb::module_&) {}
