// Attributes of word types, and attribute ids by templates.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "base/hashing.hpp"
#include "bind/bind.hpp"
#include "features/extraction.hpp"
#include "features/sparse_rows.hpp"
#include "features/table.hpp"
#include "features/token_scores.hpp"
#include "features/values.hpp"

namespace {

using namespace palmette;

template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using RowArrays = std::pair<Numbers<std::int64_t>, Numbers<std::int32_t>>;

// A table, and what its attributes were made of; no origins if it was read from a file.
struct Table {
    FeatureTable keys;
    Origins origins;
};

using ViewPair = std::pair<Array<std::int32_t>, const FeatureValues*>;
using TemplatePair = std::pair<std::uint64_t, std::vector<std::pair<std::int32_t, std::int32_t>>>;

std::string_view view_of(nb::handle string) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
    if (!bytes) throw nb::python_error();
    return {bytes, static_cast<std::size_t>(size)};
}

template <class Add>
FeatureValues values_of(const nb::sequence& strings, Add add, std::size_t repeated = 1) {
    FeatureValues values;
    values.reserve(nb::len(strings), repeated);
    for (nb::handle item : strings) item.is_none() ? values.add_absent() : add(values, view_of(item));
    return values;
}

// Words of sentences, each a list or tuple of strings: their ids, the distinct ones, and where sentences begin. Python has
// a string's hash at hand, and mostly the same object comes again.
nb::tuple intern_words(const nb::list& sentences) {
    struct Slot {
        Py_hash_t hash = 0;
        std::int32_t id = -1;
    };
    std::vector<Slot> slots(1024);
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
    std::vector<PyObject*> known;  // borrowed from `strings`
    nb::list strings;
    const auto place = [&](Py_hash_t hash) { return static_cast<std::size_t>(hash) * kOdd >> 32 & (slots.size() - 1); };
    // Held: the hash of a string's subclass may run code of the user's.
    const auto id_of = [&](const nb::object& held) {
        PyObject* word = held.ptr();
        if (!PyUnicode_Check(word)) {
            const nb::str shown = nb::repr(held);
            throw nb::type_error((std::string("The values of a column must be strings. Got ") + shown.c_str() + " instead.").c_str());
        }
        const Py_hash_t hash = PyObject_Hash(word);
        if (hash == -1) throw nb::python_error();
        std::size_t at = place(hash);
        for (; slots[at].id >= 0; at = (at + 1) & (slots.size() - 1))
            if (slots[at].hash == hash && (known[slots[at].id] == word || PyUnicode_Compare(known[slots[at].id], word) == 0)) return slots[at].id;
        if (known.size() == 0x7FFFFFFF) throw nb::value_error("there are too many different words");
        const auto id = static_cast<std::int32_t>(known.size());
        slots[at] = {hash, id};
        strings.append(nb::handle(word));
        known.push_back(word);
        if (2 * known.size() > slots.size()) {
            std::vector<Slot> old(2 * slots.size());
            old.swap(slots);
            for (const Slot& slot : old) {
                if (slot.id < 0) continue;
                std::size_t to = place(slot.hash);
                while (slots[to].id >= 0) to = (to + 1) & (slots.size() - 1);
                slots[to] = slot;
            }
        }
        return id;
    };
    for (nb::handle sentence : sentences) {
        PyObject* p = sentence.ptr();
        if (PyList_Check(p)) {
            for (Py_ssize_t i = 0; i < PyList_Size(p); ++i) ids.push_back(id_of(nb::borrow(PyList_GetItem(p, i))));
        } else if (PyTuple_Check(p)) {
            for (Py_ssize_t i = 0; i < PyTuple_Size(p); ++i) ids.push_back(id_of(nb::borrow(PyTuple_GetItem(p, i))));
        } else {
            throw nb::type_error("A sentence must be a list or tuple of words.");
        }
        offsets.push_back(static_cast<std::int64_t>(ids.size()));
    }
    return nb::make_tuple(numpy_of(std::move(ids)), strings, numpy_of(std::move(offsets)));
}

std::vector<Template> to_templates(const std::vector<TemplatePair>& pairs, std::size_t n_views) {
    std::vector<Template> templates;
    for (const auto& [seed, parts] : pairs) {
        Template made{seed, {}};
        for (const auto& [view, offset] : parts) {
            if (view < 0 || static_cast<std::size_t>(view) >= n_views) throw nb::index_error("no such view");
            if (offset < -kMaxOffset || offset > kMaxOffset) throw nb::value_error("an offset is too large");
            made.parts.push_back({view, offset});
        }
        templates.push_back(std::move(made));
    }
    return templates;
}

// The corpus and the templates as the core wants them, checked.
struct Task {
    std::span<const std::int64_t> offsets;
    std::vector<View> views;
    std::vector<Template> templates;

    Task(const Array<std::int64_t>& offset_array, const std::vector<ViewPair>& view_pairs,
         const std::vector<TemplatePair>& template_pairs)
        : offsets(span_of(offset_array)), templates(to_templates(template_pairs, view_pairs.size())) {
        if (offsets.empty() || offsets[0] != 0) throw nb::value_error("offsets must begin with 0");
        for (std::size_t s = 1; s < offsets.size(); ++s)
            if (offsets[s] < offsets[s - 1]) throw nb::value_error("offsets must not fall");
        for (const auto& [types, values] : view_pairs) {
            if (!values || types.size() != static_cast<std::size_t>(offsets.back()))
                throw nb::value_error("a view must have one type per token");
            std::uint32_t largest = 0;
            for (const std::int32_t type : span_of(types))
                largest = std::max(largest, static_cast<std::uint32_t>(type));
            if (types.size() && largest >= values->of_type.size()) throw nb::index_error("no such type");
            views.push_back({span_of(types), values});
        }
    }
};

RowArrays arrays_of(Rows&& rows) { return {numpy_of(std::move(rows.rows)), numpy_of(std::move(rows.attributes))}; }

RowArrays grow_table(Table& table, Array<std::int64_t> offsets, std::vector<ViewPair> views,
                     std::vector<TemplatePair> templates, std::int64_t min_count) {
    const Task task(offsets, views, templates);
    if (table.keys.size()) throw nb::value_error("the table must be empty");
    Rows rows;
    {
        nb::gil_scoped_release release;
        rows = grow(table.keys, table.origins, task.offsets, task.views, task.templates);
        if (min_count > 1) {
            const std::vector<std::int32_t> ids = cut_off(rows, table.keys.size(), min_count);
            table.keys.renumber(ids);
            table.origins.keep(ids);
        }
    }
    return arrays_of(std::move(rows));
}

RowArrays look_up_in(const Table& table, Array<std::int64_t> offsets, std::vector<ViewPair> views,
                     std::vector<TemplatePair> templates) {
    const Task task(offsets, views, templates);
    Rows rows;
    {
        nb::gil_scoped_release release;
        rows = look_up(table.keys, task.offsets, task.views, task.templates);
    }
    return arrays_of(std::move(rows));
}

Numbers<float> score_tokens_by(const Table& table, Array<std::int64_t> offsets, std::vector<ViewPair> views,
                               std::vector<TemplatePair> templates, Array<float> weights, std::size_t stride, int n_jobs) {
    const Task task(offsets, views, templates);
    if (stride == 0 || stride % 8 || weights.size() < static_cast<std::size_t>(table.keys.size()) * stride)
        throw nb::value_error("there must be a row of weights for every attribute");
    std::vector<float> scores;
    {
        nb::gil_scoped_release release;
        scores = score_tokens(table.keys, task.offsets, task.views, task.templates, weights.data(), stride, n_jobs);
    }
    return numpy_of(std::move(scores));
}

Numbers<float> score_tokens_sparsely(const Table& table, Array<std::int64_t> offsets, std::vector<ViewPair> views,
                                     std::vector<TemplatePair> templates, const SparseRows& weights, int n_jobs) {
    const Task task(offsets, views, templates);
    if (weights.size() < static_cast<std::size_t>(table.keys.size()))
        throw nb::value_error("there must be a row of weights for every attribute");
    std::vector<float> scores;
    {
        nb::gil_scoped_release release;
        scores = score_tokens(table.keys, task.offsets, task.views, task.templates, weights, n_jobs);
    }
    return numpy_of(std::move(scores));
}

using SparseArrays = std::tuple<Numbers<std::uint32_t>, Numbers<std::uint16_t>, Numbers<float>>;

SparseArrays arrays_of(const SparseRows& table) {
    std::vector<std::uint32_t> counts(table.size());
    std::vector<std::uint16_t> columns;
    std::vector<float> values;
    table.entries([&](std::size_t r, std::size_t column, float value) {
        ++counts[r];
        columns.push_back(static_cast<std::uint16_t>(column));
        values.push_back(value);
    });
    return {numpy_of(std::move(counts)), numpy_of(std::move(columns)), numpy_of(std::move(values))};
}

Numbers<float> row_sums_of(const SparseRows& table, Array<std::int64_t> rows, Array<std::int32_t> attributes,
                           std::optional<Array<float>> values, int n_jobs) {
    const auto bounds = span_of(rows);
    if (bounds.empty() || bounds[0] != 0 || bounds.back() != static_cast<std::int64_t>(attributes.size()))
        throw nb::value_error("rows must cut the attributes into tokens");
    for (std::size_t t = 1; t < bounds.size(); ++t)
        if (bounds[t] < bounds[t - 1]) throw nb::value_error("rows must not fall");
    for (const std::int32_t a : span_of(attributes))
        if (a < 0 || static_cast<std::size_t>(a) >= table.size()) throw nb::index_error("no such attribute");
    if (values && values->size() != attributes.size()) throw nb::value_error("there must be a value for every attribute");
    std::vector<float> sums;
    {
        nb::gil_scoped_release release;
        sums = row_sums(table, bounds, attributes.data(), values ? values->data() : nullptr, n_jobs);
    }
    return numpy_of(std::move(sums));
}

void make_rows(SparseRows* to, const Array<std::uint32_t>& counts, const Array<std::uint16_t>& columns,
               const Array<float>& values, std::size_t n_columns) {
    new (to) SparseRows(span_of(counts), span_of(columns), span_of(values), n_columns);
}

void bind_sparse_rows(nb::module_& m) {
    nb::class_<SparseRows>(m, "SparseRows", "Rows of weights of which most are zero, one column per label.")
        .def("__init__", &make_rows, nb::arg("counts").noconvert(), nb::arg("columns").noconvert(),
             nb::arg("values").noconvert(), nb::arg("n_columns"))
        .def("__len__", &SparseRows::size)
        .def_prop_ro("n_columns", &SparseRows::columns)
        .def_prop_ro("stride", &SparseRows::stride)
        .def("arrays", [](const SparseRows& table) { return arrays_of(table); },
             "The entries of each row; the columns and the values of all entries that are not zero, row by row.")
        .def("sums", &row_sums_of, nb::arg("rows").noconvert(), nb::arg("attributes").noconvert(),
             nb::arg("values").noconvert().none(), nb::arg("n_jobs"),
             "The sum of each token's rows, [tokens · stride].")
        .def("__getstate__", [](const SparseRows& table) { return std::tuple_cat(arrays_of(table), std::make_tuple(table.columns())); })
        .def("__setstate__", [](SparseRows& table, const std::tuple<Array<std::uint32_t>, Array<std::uint16_t>, Array<float>, std::size_t>& state) {
            make_rows(&table, std::get<0>(state), std::get<1>(state), std::get<2>(state), std::get<3>(state));
        });
}

RowArrays hash_features(int bits, Array<std::int64_t> offsets, std::vector<ViewPair> views,
                        std::vector<TemplatePair> templates) {
    if (bits < 1 || bits > 31) throw nb::value_error("there must be 1 to 31 bits");
    const Task task(offsets, views, templates);
    Rows rows;
    {
        nb::gil_scoped_release release;
        rows = hash_only(bits, task.offsets, task.views, task.templates);
    }
    return arrays_of(std::move(rows));
}

std::pair<nb::bytes, Numbers<std::int64_t>> names_in(const Table& table, std::vector<TemplatePair> templates,
                                                     std::vector<std::vector<std::string>> literals,
                                                     std::vector<const FeatureValues*> views, Array<std::int64_t> ids) {
    const std::vector<Template> made = to_templates(templates, views.size());
    const Origins& origins = table.origins;
    if (made.size() != literals.size()) throw nb::value_error("every template must have its literals");
    for (std::size_t t = 0; t < made.size(); ++t)
        if (literals[t].size() != made[t].parts.size() + 1) throw nb::value_error("a template lacks literals");
    for (const std::int64_t id : span_of(ids)) {
        if (id < 0 || id >= static_cast<std::int64_t>(origins.templates.size())) throw nb::index_error("no such attribute");
        const auto t = static_cast<std::size_t>(origins.templates[id]);
        const std::int64_t begin = origins.begins[id];
        if (t >= made.size() || origins.begins[id + 1] - begin != static_cast<std::int64_t>(made[t].parts.size()))
            throw nb::value_error("these are not the templates of the table");
        for (std::size_t j = 0; j < made[t].parts.size(); ++j) {
            const FeatureValues* values = views[made[t].parts[j].view];
            if (!values || origins.parts[begin + j] >= values->n_values())
                throw nb::value_error("these are not the views of the table");
        }
    }
    Names names;
    {
        nb::gil_scoped_release release;
        names = render(origins, made, literals, views, span_of(ids));
    }
    return {nb::bytes(names.text.data(), names.text.size()), numpy_of(std::move(names.offsets))};
}

}  // namespace

void bind_features(nb::module_& m) {
    bind_sparse_rows(m);
    using Strings = nb::typed<nb::sequence, std::optional<nb::str>>;
    using StringList = nb::typed<nb::list, std::optional<nb::str>>;
    nb::class_<FeatureValues>(m, "FeatureValues", "What each string of a column has for a value: None for none.")
        .def_static(
            "of",
            [](const Strings& values) {
                return values_of(values, [](FeatureValues& to, std::string_view text) { to.add(text); });
            },
            nb::arg("values"))
        .def(
            "distinct",
            [](const FeatureValues& values) {
                nb::typed<nb::list, nb::str> texts;
                for (std::int32_t v = 0; v < values.n_values(); ++v) texts.append(to_str(values.text(v)));
                return texts;
            },
            "The values without repetition, in the order in which types first have them.")
        .def(
            "mapped",
            [](const FeatureValues& values, const Strings& to) {
                if (nb::len(to) != static_cast<std::size_t>(values.n_values())) throw nb::value_error("there must be one value for each distinct one");
                FeatureValues made = values_of(to, [](FeatureValues& out, std::string_view text) { out.add(text); });
                std::vector<std::int32_t> of_type;
                of_type.reserve(values.of_type.size());
                for (const std::int32_t v : values.of_type) of_type.push_back(v < 0 ? -1 : made.of_type[v]);
                made.of_type = std::move(of_type);
                return made;
            },
            nb::arg("values"), "The attribute that has, in place of each distinct value, another one or None.")
        .def_static(
            "prefixes",
            [](const Strings& strings, int length, bool whole) {
                return values_of(strings, [=](FeatureValues& to, std::string_view text) { to.add_prefix(text, length, whole); }, length < 3 ? 16 : 2);
            },
            nb::arg("strings"), nb::arg("length"), nb::arg("whole") = false,
            "The first characters of the strings that are longer or, with `whole`, as long.")
        .def_static(
            "suffixes",
            [](const Strings& strings, int length, bool whole) {
                return values_of(strings, [=](FeatureValues& to, std::string_view text) { to.add_suffix(text, length, whole); }, length < 3 ? 16 : 2);
            },
            nb::arg("strings"), nb::arg("length"), nb::arg("whole") = false,
            "The last characters of the strings that are longer or, with `whole`, as long.")
        .def(
            "hashes",
            [](const FeatureValues& values) {
                std::vector<std::uint64_t> hashes;
                hashes.reserve(values.of_type.size());
                for (const std::int32_t value : values.of_type) hashes.push_back(value < 0 ? 0 : values.hashes[value]);
                return numpy_of(std::move(hashes));
            },
            "The hash of every string's value; 0 for none.")
        .def("__len__", [](const FeatureValues& values) { return values.of_type.size(); })
        .def(
            "values",
            [](const FeatureValues& values) {
                nb::list out;
                for (const std::int32_t value : values.of_type)
                    out.append(value < 0 ? nb::object(nb::none()) : nb::object(to_str(values.text(value))));
                return nb::borrow<StringList>(out);
            },
            "The value of every string.");

    nb::class_<Table>(m, "FeatureTable", "Keys of attributes and their ids.")
        .def(nb::init<>())
        .def_static(
            "of", [](Array<std::uint64_t> keys) { return Table{FeatureTable(span_of(keys)), {}}; },
            nb::arg("keys").noconvert(), "The table of keys in the order of their ids; ValueError if one comes twice.")
        .def("__len__", [](const Table& table) { return table.keys.size(); })
        .def(
            "select",
            [](const Table& table, Array<std::int64_t> ids) {
                Table chosen;
                const bool known = table.keys.keys().size() == table.origins.templates.size();
                for (const std::int64_t id : span_of(ids)) {
                    if (id < 0 || id >= table.keys.size()) throw nb::index_error("no such attribute");
                    chosen.keys.add(table.keys.keys()[id]);
                    if (known) chosen.origins.add(table.origins, id);
                }
                if (chosen.keys.keys().size() != ids.size()) throw nb::value_error("an attribute is chosen twice");
                return chosen;
            },
            nb::arg("ids").noconvert(), "The table of some attributes, which get the ids 0, 1 and so on.")
        .def("keys", [](const Table& table) { return numpy_of(std::vector<std::uint64_t>(table.keys.keys())); })
        .def_prop_ro(
            "has_origins",
            [](const Table& table) { return table.keys.keys().size() == table.origins.templates.size(); },
            "Whether names can be rendered.")
        .def("grow", &grow_table, nb::arg("offsets").noconvert(), nb::arg("views"), nb::arg("templates"),
             nb::arg("min_count"))
        .def("look_up", &look_up_in, nb::arg("offsets").noconvert(), nb::arg("views"), nb::arg("templates"))
        .def("score_tokens", &score_tokens_by, nb::arg("offsets").noconvert(), nb::arg("views"), nb::arg("templates"),
             nb::arg("weights").noconvert(), nb::arg("stride"), nb::arg("n_jobs"))
        .def("score_tokens_sparsely", &score_tokens_sparsely, nb::arg("offsets").noconvert(), nb::arg("views"),
             nb::arg("templates"), nb::arg("weights"), nb::arg("n_jobs"))
        .def("names", &names_in, nb::arg("templates"), nb::arg("literals"), nb::arg("views"), nb::arg("ids").noconvert());

    using Words = nb::typed<nb::list, nb::typed<nb::sequence, nb::str>>;
    using Interned = nb::typed<nb::tuple, Numbers<std::int32_t>, nb::typed<nb::list, nb::str>, Numbers<std::int64_t>>;
    m.def("intern_words", [](const Words& sentences) { return Interned(intern_words(sentences)); }, nb::arg("sentences"),
          "Ids of all words in a row, the distinct words, and where each sentence begins.");
    m.def("hash_features", &hash_features, nb::arg("bits"), nb::arg("offsets").noconvert(), nb::arg("views"),
          nb::arg("templates"));
    m.def("hash_text", [](const std::string& text) { return hash_string(text); }, nb::arg("text"),
          "The 64-bit hash that names a string in model files.");
}
