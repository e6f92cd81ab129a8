/* Finds a built-in shader ISA by name. */
#include "programs/mali-run/isas.h"

#include <string.h>

#define DECLARE(name) extern const struct gpu_isa name##_isa;
GPU_ISAS(DECLARE)
#undef DECLARE

const struct gpu_isa *isa_built_in(const char *name)
{
#define ENTRY(isa) &isa##_isa,
    static const struct gpu_isa *const isas[] = {GPU_ISAS(ENTRY)};
#undef ENTRY

    for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
        if (!strcmp(isas[i]->name, name))
            return isas[i];
    return NULL;
}
