// Tables of weights as files have them (features/packed_weights.hpp).
#include "features/packed_weights.hpp"

#include "bind/bind.hpp"
#include "features/sparse_rows.hpp"

using namespace palmette;

namespace {

template <class T>
using Table = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Number, class Weight>
void check(const Array<std::uint8_t>& gaps, const Array<Number>& numbers, const Array<Weight>& levels) {
    require(gaps.size() == numbers.size(), "there must be a number for every gap");
    require(levels.size() == std::size_t{1} << (8 * sizeof(Number)), "there must be a level for every number");
}

template <class Number, class Weight>
void spread(Array<std::uint8_t> gaps, Array<Number> numbers, Array<Weight> levels, Table<Weight> table) {
    check(gaps, numbers, levels);
    nb::gil_scoped_release release;
    spread_weights<Number, Weight>(span_of(gaps), numbers.data(), levels.data(), {table.data(), table.size()});
}

template <class Number>
SparseRows sparse_rows(Array<std::uint8_t> gaps, Array<Number> numbers, Array<float> levels, std::size_t n_rows,
                       std::size_t stride, std::size_t n_columns) {
    check(gaps, numbers, levels);
    require(stride > 0 && stride <= SparseRows::kMaxColumns, "a row must have a column");
    nb::gil_scoped_release release;
    const RowEntries made = row_entries(span_of(gaps), numbers.data(), levels.data(), n_rows, stride);
    return {made.counts, made.columns, made.values, n_columns};
}

template <class Number, class Weight>
void bind_spread(nb::module_& m) {
    m.def("spread_weights", &spread<Number, Weight>, nb::arg("gaps").noconvert(), nb::arg("numbers").noconvert(),
          nb::arg("levels").noconvert(), nb::arg("table").noconvert(), "Write the weights of a file into a table of zeros.");
}

template <class Number>
void bind_rows(nb::module_& m) {
    m.def("spread_rows", &sparse_rows<Number>, nb::arg("gaps").noconvert(), nb::arg("numbers").noconvert(),
          nb::arg("levels").noconvert(), nb::arg("n_rows"), nb::arg("stride"), nb::arg("n_columns"),
          "The weights of a file as rows of `stride` places, without their zeros.");
}

}  // namespace

void bind_packed_weights(nb::module_& m) {
    bind_spread<std::uint8_t, float>(m);
    bind_spread<std::uint16_t, float>(m);
    bind_spread<std::uint8_t, std::uint8_t>(m);
    bind_rows<std::uint8_t>(m);
    bind_rows<std::uint16_t>(m);
}
