#include "bind.hpp"

void bind_deduction(nb::module_&) {}
