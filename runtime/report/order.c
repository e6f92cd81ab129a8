/* The order of kernels in a report. */
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/report/internal.h"

static int by_cycles(const void *a, const void *b)
{
    const struct report_kernel *x = *(const struct report_kernel *const *)a;
    const struct report_kernel *y = *(const struct report_kernel *const *)b;

    if (x->time.ticks != y->time.ticks)
        return x->time.ticks < y->time.ticks ? 1 : -1;
    if (x->sum.cycles != y->sum.cycles)
        return x->sum.cycles < y->sum.cycles ? 1 : -1;
    return x->number < y->number ? -1 : 1;
}

struct report_kernel **report_sorted(const struct report *r)
{
    struct report_kernel **list = xcalloc(r->kernels.len + 1, sizeof(*list));

    for (size_t i = 0; i < r->kernels.len; i++)
        list[r->kernels.data[i]->number] = r->kernels.data[i];
    return list;
}

void report_number_kernels(struct report *r)
{
    struct report_kernel **list = xcalloc(r->kernels.len + 1, sizeof(*list));

    for (size_t i = 0; i < r->kernels.len; i++) {
        list[i] = r->kernels.data[i];
        list[i]->number = (unsigned)i;
    }
    qsort(list, r->kernels.len, sizeof(*list), by_cycles);
    for (size_t i = 0; i < r->kernels.len; i++)
        list[i]->number = (unsigned)i;
    free(list);
}
