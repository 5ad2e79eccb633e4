// The Negra export format, versions 3 (word, tag, morph, edge, parent) and 4 (with a lemma after the word).
#pragma once
#include "formats/flat_trees.hpp"

namespace palmette::trees {

// What is around the lines of one sentence.
struct Sentence {
    std::string_view before;  // everything between the sentence before and this one: #FORMAT, tables, comments
    std::string_view bos, eos;  // the rest of the #BOS and #EOS lines
    int32_t version;
};

struct ExportTrees {
    FlatTrees flat;
    std::vector<Sentence> sentences;  // one per tree
};

// Reads every sentence in one pass. The nodes and words without a parent (parent 0) come under a node `root`.
// The first problem ends the reading, unless `lenient`: then its sentence is skipped, to the next #BOS.
// The text and `root` must outlive the result.
ExportTrees read_export(std::string_view text, std::string_view root, bool lenient);

}  // namespace palmette::trees
