/* Looks up GPUs by name, product id or device-tree compatible. */
#include "runtime/gpu/variant.h"

#include <string.h>
#include <strings.h>

void gpu_variants_print(FILE *out)
{
    for (const struct gpu_variant *v = gpu_variants; v->name; v++)
        fprintf(out, "%-10s %s, %u core%s, %u MHz\n", v->name, v->title, v->cores,
                v->cores == 1 ? "" : "s", v->clock_mhz);
}

bool gpu_variant_has(const struct gpu_variant *v, const char *feature)
{
    size_t len = strlen(feature);

    for (const char *at = v->features; at && *at; at += strspn(at, " ")) {
        size_t word = strcspn(at, " ");

        if (word == len && !strncmp(at, feature, len))
            return true;
        at += word;
    }
    return false;
}

const struct gpu_variant *gpu_variant_by_name(const char *name)
{
    for (const struct gpu_variant *v = gpu_variants; v->name; v++)
        if (strcasecmp(v->name, name) == 0)
            return v;
    return NULL;
}

/* Products with several numbers of cores have several names; the most common one is the
 * shortest. */
static bool is_more_usual(const struct gpu_variant *v, const struct gpu_variant *than)
{
    return !than || strlen(v->name) < strlen(than->name);
}

const struct gpu_variant *gpu_variant_by_product(uint32_t product)
{
    const struct gpu_variant *best = NULL;

    for (const struct gpu_variant *v = gpu_variants; v->name; v++)
        if (v->product == product && is_more_usual(v, best))
            best = v;
    return best;
}

const struct gpu_variant *gpu_variant_by_compatible(const char *compatible)
{
    const struct gpu_variant *best = NULL;

    for (const struct gpu_variant *v = gpu_variants; v->name; v++) {
        if (strcmp(v->compatible, compatible) != 0)
            continue;
        if (best && best->product != v->product)
            return NULL;
        if (is_more_usual(v, best))
            best = v;
    }
    return best;
}
