/* Copies of an ISA in which instructions take other ticks. */
#include "runtime/cpu/ticks.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

const struct cpu_isa *cpu_isa_with_ticks(const struct cpu_isa *isa, ticks_of_class_fn *ticks,
                                         const void *opaque)
{
    struct cpu_isa *copy = xcalloc(1, sizeof(*copy));
    struct cpu_form *forms = xcalloc(isa->form_count + 1, sizeof(*forms));

    *copy = *isa;
    copy->forms = forms;
    for (unsigned n = 0; n < isa->form_count; n++) {
        uint16_t own = ticks(opaque, isa->forms[n].klass);

        forms[n] = isa->forms[n];
        forms[n].ticks = own ? own : forms[n].ticks;
    }
    return copy;
}

void cpu_isa_free(const struct cpu_isa *isa)
{
    if (isa)
        free((void *)(uintptr_t)isa->forms);
    free((void *)(uintptr_t)isa);
}

bool cpu_isa_has_class(const struct cpu_isa *isa, const char *klass)
{
    for (unsigned n = 0; n < isa->form_count; n++)
        if (!strcmp(isa->forms[n].klass, klass))
            return true;
    return false;
}
