#include "bind.hpp"

void bind_brackets(nb::module_&) {}
