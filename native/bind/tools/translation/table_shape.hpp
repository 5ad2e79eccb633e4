// The arrays of a table that was built, as NumPy takes them.
#pragma once
#include <cstdint>
#include <tuple>

#include "bind/bind.hpp"
#include "tools/translation/table_builder.hpp"

using Ids = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;
using ShapeTuple = std::tuple<Ids, Ids, Ids, Ids, Ids, Ids, Ids>;

ShapeTuple shape_tuple(palmette::TableShape&& shape);
