/* Tells parts of a run by the names of libraries and modules. */
#include "runtime/machine/code_parts.h"

#include <string.h>

#include "runtime/base/bits.h"

static bool is_listed(const struct dt *dt, const struct dt_node *node, const char *part,
                      const char *object)
{
    const char *start = NULL;

    while ((start = dt_next_string(dt, node, part, start)) != NULL)
        if (!strncmp(object, start, strlen(start)))
            return true;
    return false;
}

const char *code_part(const struct dt *dt, bool kernel, const char *object)
{
    static const char *const listed[] = {"compiler", "driver"};
    const struct dt_node *node = object ? dt_find(dt, "/gencc/linux/parts") : NULL;

    for (unsigned n = 0; node && n < ARRAY_SIZE(listed); n++)
        if (is_listed(dt, node, listed[n], object))
            return listed[n];
    return kernel ? "kernel" : "program";
}
