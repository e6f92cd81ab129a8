#include "runtime/gpu/variant.h"

#include <string.h>
#include <strings.h>

const struct gpu_variant *gpu_variant_by_name(const char *name)
{
    for (const struct gpu_variant *v = gpu_variants; v->name; v++)
        if (strcasecmp(v->name, name) == 0)
            return v;
    return NULL;
}

/* Of several with that product id, which differ in cores, the usual one has the shortest name. */
const struct gpu_variant *gpu_variant_by_product(uint32_t product)
{
    const struct gpu_variant *best = NULL;

    for (const struct gpu_variant *v = gpu_variants; v->name; v++)
        if (v->product == product && (!best || strlen(v->name) < strlen(best->name)))
            best = v;
    return best;
}
