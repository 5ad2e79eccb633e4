// What the binding files share: one registration function per subject.
#pragma once
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_hypergraph(nb::module_& m);
void bind_deduction(nb::module_& m);
void bind_conllu(nb::module_& m);
void bind_brackets(nb::module_& m);
