// The one extension module. Each subject registers its functions from a file of its own.
#include "bind/bind.hpp"

NB_MODULE(_native, m) {
    check_processor();
    m.doc() = "The loops of Palmette. Use the Python modules; this one checks only what keeps it from crashing.";
    // Objects that outlive the interpreter's last collection are the rule in notebooks and caches, not a mistake.
    nb::set_leak_warnings(false);
    bind_interrupt(m);
    bind_hypergraph(m);
    bind_deduction(m);
    bind_conllu(m);
    bind_brackets(m);
    bind_memories(m);
    bind_problem(m);
    bind_python_problem(m);
    bind_chain_problem(m);
    bind_features(m);
    bind_packed_weights(m);
    bind_network(m);
    bind_chain(m);
    bind_states(m);
    bind_arcs(m);
    bind_mappings(m);
    bind_transition(m);
    bind_dependency_tree(m);
    bind_latent(m);
    bind_arborescence(m);
    bind_tree_kernels(m);
    bind_sequence_kernels(m);
    bind_phrases(m);
    bind_anchored(m);
    bind_lexicalized(m);
    bind_chart(m);
    bind_lcfrs(m);
    bind_chart_sentence(m);
    bind_chart_search(m);
    bind_item_charts(m);
    bind_alignment(m);
    bind_count_shares(m);
    bind_alignment_sampler(m);
    bind_alignment_links(m);
    bind_alignment_phrases(m);
    bind_phrase_table(m);
    bind_phrase_search(m);
    bind_rule_table(m);
    bind_rule_extraction(m);
    bind_rule_search(m);
    bind_moses_tables(m);
    bind_classification(m);
    bind_ngram(m);
    bind_ngram_query(m);
    bind_distribution(m);
    bind_factored_problem(m);
    bind_ranking(m);
    bind_tuning(m);
}
