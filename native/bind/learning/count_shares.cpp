// From expected counts to weights.
#include "learning/count_shares.hpp"

#include <stdexcept>

#include "bind/bind.hpp"

using namespace palmette;

namespace {

void check_groups(const Array<double>& counts, const Array<int32_t>& groups, size_t n_groups) {
    require(groups.size() == counts.size(), "there must be a group for every count");
    for (const int32_t group : span_of(groups)) require(group >= 0 && static_cast<size_t>(group) < n_groups, "a group does not exist");
}

}  // namespace

void bind_count_shares(nb::module_& m) {
    using namespace nb::literals;
    m.def(
        "count_shares",
        [](const Array<double>& counts, const Array<int32_t>& groups, size_t n_groups, const Array<double>& otherwise) {
            check_groups(counts, groups, n_groups);
            require(!otherwise.size() || otherwise.size() == counts.size(), "there must be as many weights as counts");
            std::vector<double> out(counts.size());
            {
                nb::gil_scoped_release release;
                shares_of(span_of(counts), span_of(groups), n_groups, span_of(otherwise), out.data());
            }
            return numpy_of(std::move(out));
        },
        "counts"_a.noconvert(), "groups"_a.noconvert(), "n_groups"_a, "otherwise"_a.noconvert());
    m.def(
        "variational_weights",
        [](const Array<double>& counts, const Array<int32_t>& groups, size_t n_groups) {
            check_groups(counts, groups, n_groups);
            std::vector<double> out(counts.size());
            {
                nb::gil_scoped_release release;
                variational_weights(span_of(counts), span_of(groups), n_groups, out.data());
            }
            return numpy_of(std::move(out));
        },
        "counts"_a.noconvert(), "groups"_a.noconvert(), "n_groups"_a);
    m.def(
        "log_penalty",
        [](const Array<double>& prior, const Array<double>& weights) {
            require(prior.size() == weights.size(), "there must be a prior for every weight");
            nb::gil_scoped_release release;
            return log_penalty(span_of(prior), span_of(weights));
        },
        "prior"_a.noconvert(), "weights"_a.noconvert());
}
