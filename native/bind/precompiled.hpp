// What nearly every binding includes, compiled once.
#pragma once
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/precompiled.hpp"
#include "bind/bind.hpp"
