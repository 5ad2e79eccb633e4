// The check at import. Like all of bind/ this file is compiled for any processor of its kind.
#include "base/processor.hpp"

#include <stdexcept>
#include <string>

#include "bind/bind.hpp"

void check_processor() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    std::string missing;
    const bool* used = palmette::kUsedExtensions;
#define PALMETTE_CHECK(name, macro) \
    if (*used++ && !__builtin_cpu_supports(name)) missing += (missing.empty() ? "" : ", ") + std::string(name);
    PALMETTE_EXTENSIONS(PALMETTE_CHECK)
    if (missing.empty()) return;
    throw std::runtime_error("This build of Palmette cannot run here: the processor lacks " + missing +
                             ". Build it on this machine, or with PALMETTE_ARCH=x86-64-v2 (or x86-64) in the environment.");
#endif
}
