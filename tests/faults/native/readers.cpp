// The readers of the core for libFuzzer. READER in the environment names one; without it, all are listed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "formats/brackets.hpp"
#include "formats/columns.hpp"
#include "formats/conllu.hpp"
#include "formats/negra_export.hpp"
#include "tools/alignment/parallel_text.hpp"
#include "tools/lm/arpa.hpp"
#include "tools/translation/moses_tables.hpp"

namespace {

using namespace palmette;
using Text = std::string_view;

struct Reader {
    const char* name;
    void (*read)(Text);
};

const Reader readers[] = {
    {"conllu", [](Text text) { parse_conllu(text, false); }},
    {"conllu-lenient", [](Text text) { parse_conllu(text, true); }},
    {"conllu-words", [](Text text) { parse_conllu(text, false, 5); }},
    {"columns", [](Text text) { parse_columns(text, detect_separator(text), 0, false); }},
    {"columns-lenient", [](Text text) { parse_columns(text, detect_separator(text), 0, true); }},
    {"brackets", [](Text text) { trees::read_brackets(text, trees::Leaves::in_order, false); }},
    {"brackets-lenient", [](Text text) { trees::read_brackets(text, trees::Leaves::in_order, true); }},
    {"discbracket", [](Text text) { trees::read_brackets(text, trees::Leaves::numbered, false); }},
    {"discbracket-lenient", [](Text text) { trees::read_brackets(text, trees::Leaves::numbered, true); }},
    {"export", [](Text text) { trees::read_export(text, "ROOT", false); }},
    {"export-lenient", [](Text text) { trees::read_export(text, "ROOT", true); }},
    {"arpa", [](Text text) { read_arpa(text); }},
    {"pairs",
     [](Text text) {
         TextSide source, target;
         read_pairs(text, PairSeparator::bars, source, target);
         TextSide side;
         read_side(text, side);
         count_separators(text);
     }},
    {"phrase-table",
     [](Text text) {
         MosesTable table;
         if (read_phrase_table(text, table).line == 0) read_reordering_table(text, table);
     }},
};

const Reader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* const name = std::getenv("READER");
    for (const Reader& reader : readers)
        if (name && std::strcmp(name, reader.name) == 0) chosen = &reader;
    if (chosen) return 0;
    for (const Reader& reader : readers) std::puts(reader.name);
    std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A copy of exactly that size, so that reading beyond its end is seen.
    char* const text = static_cast<char*>(std::malloc(size ? size : 1));
    std::memcpy(text, data, size);
    try {
        chosen->read({text, size});
    } catch (const std::exception&) {
        // an error with a message is an answer
    }
    std::free(text);
    return 0;
}
