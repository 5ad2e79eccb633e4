#include "bind.hpp"

void bind_hypergraph(nb::module_&) {}
