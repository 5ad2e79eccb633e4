#include "bind.hpp"

void bind_conllu(nb::module_&) {}
