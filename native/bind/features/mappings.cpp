// Tokens as Python mappings or lists of strings, walked without keeping an object.
//
//   "name"                      name, 1               {"name": 2.5}        name, 2.5
//   {"name": "value"}           name:value, 1         {"name": True}       name, 1; nothing for False
//   {"name": ["a", "b"]}        name:a, name:b        {"name": {…}}        name:… for each of its own
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <optional>
#include <string>

#include "base/text.hpp"
#include "bind/bind.hpp"
#include "features/named_attributes.hpp"

namespace {

using namespace palmette;

template <class T>
using Numbers = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

constexpr int kMaxDepth = 50;

class Walk {
public:
    Walk(NameTable& table, bool grows, int bits, bool zeros) : collector_(table, grows, bits, zeros) {}

    void sentences(nb::handle all) {
        each(all, "The input", [&](nb::handle sentence) {
            each(sentence, "A sentence", [&](nb::handle token) {
                attributes(token, 0);
                collector_.end_token();
            });
            collector_.end_sentence();
            if (PyErr_CheckSignals()) throw nb::python_error();
        });
    }

    Collector& collector() { return collector_; }

private:
    // Calls `use` on the items of a list, tuple or other iterable; a string does not count as one here.
    template <class Use>
    void each(nb::handle items, const char* what, Use use) {
        PyObject* p = items.ptr();
        if (PyList_Check(p)) {
            // The length is asked again, since a conversion may run code of the user's.
            for (Py_ssize_t i = 0; i < PyList_Size(p); ++i) use(nb::borrow(PyList_GetItem(p, i)));
        } else if (PyTuple_Check(p)) {
            for (Py_ssize_t i = 0; i < PyTuple_Size(p); ++i) use(nb::borrow(PyTuple_GetItem(p, i)));
        } else {
            if (PyUnicode_Check(p) || PyBytes_Check(p)) wrong_type(what, "not a string", items);
            PyObject* found = PyObject_GetIter(p);
            if (!found) {
                PyErr_Clear();
                wrong_type(what, "not", items);
            }
            const nb::object iterator = nb::steal(found);
            while (PyObject* next = PyIter_Next(iterator.ptr())) {
                const nb::object item = nb::steal(next);
                use(item);
            }
            if (PyErr_Occurred()) throw nb::python_error();
        }
    }

    [[noreturn]] void wrong_type(const char* what, const char* not_a, nb::handle came) {
        const nb::str shown = nb::repr(came);
        const std::string text = quoted(shown.c_str());
        throw nb::type_error((where() + what + " must be a list, " + not_a + " " + text + ".").c_str());
    }

    std::string where() const {
        return "Sentence " + std::to_string(collector_.n_sentences() + 1) + ", token " +
               std::to_string(collector_.n_open_tokens() + 1) + ": ";
    }

    // The attributes of a mapping or an iterable; what was appended since the last attribute is their prefix.
    void attributes(nb::handle of, int depth) {
        if (depth > kMaxDepth) throw nb::value_error((where() + "a mapping is nested too deeply.").c_str());
        const std::string prefix(collector_.open_name());
        collector_.drop_open_name();
        if (PyDict_Check(of.ptr())) {
            entries(of, prefix, depth);
        } else if (!PyList_Check(of.ptr()) && !PyTuple_Check(of.ptr()) && PyObject_HasAttrString(of.ptr(), "keys")) {
            entries(nb::borrow(reinterpret_cast<PyObject*>(&PyDict_Type))(of), prefix, depth);
        } else {
            each(of, "The attributes of a token", [&](nb::handle name) {
                collector_.append(prefix);
                append(name);
                collector_.end_attribute(1.0f);
            });
        }
    }

    // The strings of a mapping lie all over the memory: they are fetched together before the first is read.
    void entries(nb::handle mapping, const std::string& prefix, int depth) {
        const std::size_t first = pairs_.size();
        PyObject *key = nullptr, *value = nullptr;
        for (Py_ssize_t at = 0; PyDict_Next(mapping.ptr(), &at, &key, &value);) {
            fetch(key);
            fetch(value);
            pairs_.emplace_back(key, value);
        }
        std::vector<nb::object> held;
        for (std::size_t i = first; i < pairs_.size(); ++i) {
            const auto [name, of] = pairs_[i];
            // Only what is not a plain string or number may run code of the user's, which may change the mapping.
            if (held.empty() && !(PyUnicode_Check(name) && (PyUnicode_Check(of) || PyFloat_CheckExact(of)))) {
                held.push_back(nb::borrow(mapping));
                for (std::size_t j = i; j < pairs_.size(); ++j) {
                    held.push_back(nb::borrow(pairs_[j].first));
                    held.push_back(nb::borrow(pairs_[j].second));
                }
            }
            if (!prefix.empty()) collector_.append(prefix);
            append(name);
            entry(of, depth);
        }
        pairs_.resize(first);
    }

    // A string's text begins on the line of its header or on the next.
    static void fetch(const PyObject* object) {
        __builtin_prefetch(object);
        __builtin_prefetch(reinterpret_cast<const char*>(object) + 48);
    }

    void entry(nb::handle value, int depth) {
        PyObject* p = value.ptr();
        if (PyUnicode_Check(p) || PyBytes_Check(p)) {
            collector_.append(":");
            append(value);
            collector_.end_attribute(1.0f);
        } else if (p == Py_True) {
            collector_.end_attribute(1.0f);
        } else if (p == Py_False) {
            collector_.end_zero();
        } else if (PyDict_Check(p) || PyList_Check(p) || PyTuple_Check(p) || PyAnySet_Check(p)) {
            collector_.append(":");
            attributes(value, depth + 1);
        } else {
            number(value);
        }
    }

    void number(nb::handle value) {
        const double wide = PyFloat_AsDouble(value.ptr());
        if (wide == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            const nb::str shown = nb::repr(value);
            fail_value("must have a string, a number or a collection of them for a value", shown.c_str());
        }
        const float narrow = static_cast<float>(wide);
        if (!std::isfinite(narrow)) {
            const nb::str shown = nb::repr(value);
            fail_value("must have a finite value", shown.c_str());
        }
        narrow == 0.0f ? collector_.end_zero() : collector_.end_attribute(narrow);
    }

    [[noreturn]] void fail_value(const char* must, const char* came) {
        const std::string name = quoted(collector_.open_name());
        throw nb::value_error((where() + "attribute " + name + " " + must + ". Got " + quoted(came) + ".").c_str());
    }

    void append(nb::handle name) {
        PyObject* p = name.ptr();
        Py_ssize_t size = 0;
        if (PyUnicode_Check(p)) {
            const char* bytes = PyUnicode_AsUTF8AndSize(p, &size);
            if (!bytes) {
                PyErr_Clear();
                const nb::str shown = nb::repr(name);
                throw nb::value_error((where() + shown.c_str() + " is not valid Unicode.").c_str());
            }
            collector_.append({bytes, static_cast<std::size_t>(size)});
        } else if (PyBytes_Check(p)) {
            char* bytes = nullptr;
            if (PyBytes_AsStringAndSize(p, &bytes, &size)) throw nb::python_error();
            const std::string_view view(bytes, static_cast<std::size_t>(size));
            if (first_invalid_utf8(view) != std::string_view::npos)
                throw nb::value_error((where() + "the name " + quoted(view) + " is not UTF-8.").c_str());
            collector_.append(view);
        } else {
            const nb::str shown = nb::repr(name);
            const std::string text = quoted(shown.c_str());
            throw nb::type_error((where() + "the name of an attribute must be a string, not " + text + ".").c_str());
        }
    }

    Collector collector_;
    std::vector<std::pair<PyObject*, PyObject*>> pairs_;  // borrowed, of the mappings that are open
};

using Collected = std::tuple<Numbers<std::int64_t>, Numbers<std::int64_t>, Numbers<std::int32_t>,
                             std::optional<Numbers<float>>>;

Collected numpy_rows(ValuedRows& rows) {
    std::optional<Numbers<float>> values;
    if (rows.has_values) values = numpy_of(std::move(rows.values));
    rows.attributes.shrink_to_fit();
    return {numpy_of(std::move(rows.offsets)), numpy_of(std::move(rows.rows)), numpy_of(std::move(rows.attributes)),
            std::move(values)};
}

Collected collect(NameTable& table, nb::handle sentences, bool grows, int bits, std::int64_t min_count) {
    if (bits < 0 || bits > 31) throw nb::value_error("there must be 0 to 31 bits");
    Walk walk(table, grows, bits, false);
    walk.sentences(sentences);
    ValuedRows& rows = walk.collector().rows();
    if (grows && min_count > 1) {
        nb::gil_scoped_release release;
        table.keep(cut_off(rows, table.keys.size(), min_count));
    }
    return numpy_rows(rows);
}

using Zeros = std::tuple<Numbers<std::int64_t>, Numbers<std::int32_t>>;

std::tuple<Collected, Zeros> collect_with_zeros(NameTable& table, nb::handle sentences) {
    Walk walk(table, true, 0, true);
    walk.sentences(sentences);
    ValuedRows& rows = walk.collector().rows();
    Zeros zeros{numpy_of(std::move(rows.zero_rows)), numpy_of(std::move(rows.zero_attributes))};
    return {numpy_rows(rows), std::move(zeros)};
}

NameTable name_table(nb::bytes text, const Array<std::int64_t>& offsets) {
    NameTable table;
    table.text.assign(text.c_str(), text.size());
    const auto at = span_of(offsets);
    if (at.empty() || at[0] != 0 || at.back() != static_cast<std::int64_t>(text.size()))
        throw nb::value_error("the offsets do not cut the text into names");
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 1; i < at.size(); ++i) {
        if (at[i] < at[i - 1] || at[i] > at.back()) throw nb::value_error("the offsets do not cut the text into names");
        keys.push_back(name_key(std::string_view(table.text).substr(at[i - 1], at[i] - at[i - 1])));
    }
    table.offsets.assign(at.begin(), at.end());
    table.keys = FeatureTable(keys);
    return table;
}

}  // namespace

void bind_mappings(nb::module_& m) {
    nb::class_<NameTable>(m, "NameTable", "Names of attributes and their ids.")
        .def(nb::init<>())
        .def_static("of", &name_table, nb::arg("text"), nb::arg("offsets").noconvert(),
                    "The table of names in the order of their ids; ValueError if one comes twice.")
        .def("__len__", [](const NameTable& table) { return table.keys.size(); })
        .def("names",
             [](const NameTable& table) {
                 return std::make_pair(nb::bytes(table.text.data(), table.text.size()),
                                       numpy_of(std::vector<std::int64_t>(table.offsets)));
             })
        .def("collect", &collect, nb::arg("sentences"), nb::arg("grows"), nb::arg("bits"), nb::arg("min_count"),
             "Offsets, rows, attributes and values (None if all are 1) of sentences of tokens.")
        .def("collect_with_zeros", &collect_with_zeros, nb::arg("sentences"),
             "The same of new attributes, and apart from them rows and attributes of those whose value is 0.");
}
