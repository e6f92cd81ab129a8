/* Checks of compute jobs: -check. */
#include "runtime/check/check.h"

#include <stdlib.h>

#include "common/vec.h"
#include "programs/mali-run/run.h"
#include "runtime/base/alloc.h"

/* Appends the buffers of a kernel by hand, each alone behind a hole. */
static void add_arguments(const struct kernel *k, struct check_buffer *to, size_t *count)
{
    enum { PAGE = 4096 };

    for (unsigned i = 0; k->file && i < k->argument_count; i++)
        if (k->argument[i].is_buffer) {
            uint64_t bytes = k->argument[i].bytes;

            to[(*count)++] =
                (struct check_buffer){i, k->argument[i].value, bytes, k->argument[i].value,
                                      (bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1)};
        }
}

static struct check *new_check(const struct run_checked *r)
{
    size_t count = 0, most = r->snapshot->buffer_count + KERNEL_MAX_ARGUMENTS;
    struct check_buffer *buffers = xcalloc(most, sizeof(*buffers));
    struct check *c;

    for (; count < r->snapshot->buffer_count; count++) {
        const struct gpu_snapshot_buffer *b = &r->snapshot->buffers[count];

        buffers[count] =
            (struct check_buffer){b->argument, b->va, b->bytes, b->area_va, b->area_bytes};
    }
    add_arguments(r->kernel, buffers, &count);
    c = check_new(r->isa, &r->snapshot->space, buffers, count);
    free(buffers);
    return c;
}

/* Runs the chains again with the initial memory, for the values of stores. */
static void run_again(const struct run_checked *r, struct check *c,
                      const struct gpu_snapshot_kept *kept)
{
    struct gpu_cores *cores = r->new_cores(r->opaque);

    if (!cores)
        return;
    gpu_snapshot_restore(r->snapshot, kept);
    check_attach_values(c, cores);
    r->run_chains(r->opaque, cores);
    gpu_cores_free(cores);
}

int run_check_before(const struct run_checked *r,
                     void (*each)(void *opaque, const struct check_place *place), void *opaque)
{
    struct gpu_snapshot_kept *kept = gpu_snapshot_keep(r->snapshot);
    struct gpu_cores *cores = r->new_cores(r->opaque);
    struct check *c = cores ? new_check(r) : NULL;
    int status = EXIT_FAILURE;

    if (c) {
        check_attach(c, cores);
        status = r->run_chains(r->opaque, cores);
        if (check_needs_values(c))
            run_again(r, c, kept);
        check_each_place(c, each, opaque);
    }
    check_free(c);
    gpu_cores_free(cores);
    gpu_snapshot_restore(r->snapshot, kept);
    gpu_snapshot_kept_free(kept);
    return status;
}

int run_check(const struct run_checked *r, size_t *findings)
{
    struct gpu_snapshot_kept *kept = gpu_snapshot_keep(r->snapshot);
    struct check *c = new_check(r);
    int status;

    check_attach(c, r->cores);
    status = r->run_chains(r->opaque, r->cores);
    if (check_needs_values(c))
        run_again(r, c, kept);
    *findings = check_print(c, stdout);
    check_free(c);
    gpu_snapshot_kept_free(kept);
    return status;
}
