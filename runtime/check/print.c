/* Findings as text. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/asm_text.h"
#include "runtime/check/internal.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/shader/core.h"

static const char *memory_name(enum check_memory memory)
{
    static const char *const names[] = {"global", "local", "private"};

    return names[memory];
}

static void print_title(const struct check_finding *f, FILE *out)
{
    const char *memory = memory_name(f->a.memory);

    switch (f->kind) {
    case CHECK_RACE:
        fprintf(out, "race in %s memory", memory);
        break;
    case CHECK_GROUPS_RACE:
        fputs("race of work-groups in global memory", out);
        break;
    case CHECK_UNWRITTEN:
        fprintf(out, "%s memory is read and nobody wrote it", memory);
        break;
    case CHECK_OUTSIDE:
        fputs("access beside a buffer", out);
        break;
    case CHECK_MISALIGNED:
        fprintf(out, "misaligned access of %s memory", memory);
        break;
    case CHECK_PART_OF_WARP:
        fputs("divergent barrier: only a part of a warp reaches it", out);
        break;
    case CHECK_BARRIER_MISSED:
        fputs("divergent barrier: work-items end without it", out);
        break;
    case CHECK_OTHER_BARRIER:
        fputs("divergent barrier: work-items wait at two barriers", out);
        break;
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Prints the global id of a work-item, of the job's group `group` of the trace, or its group. */
static void print_item(const struct check_job *job, uint64_t group, unsigned item, FILE *out)
{
    uint64_t id[3] = {group % job->groups[0], group / job->groups[0] % job->groups[1],
                      group / job->groups[0] / job->groups[1]};
    uint64_t at[3] = {item % job->size[0], item / job->size[0] % job->size[1],
                      item / job->size[0] / job->size[1]};

    if (item == CHECK_MANY_ITEMS)
        fprintf(out, "work-items of group (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", id[0], id[1],
                id[2]);
    else
        fprintf(out, "work-item (%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")",
                id[0] * job->size[0] + at[0], id[1] * job->size[1] + at[1],
                id[2] * job->size[2] + at[2]);
}

/* Prints where an address is, as a newcomer counts: from the start of the buffer or memory. */
static void print_address(const struct check *c, const struct check_job *job,
                          const struct check_access *a, FILE *out)
{
    const struct check_buffer *b = check_buffer_of(c, a->address);
    uint64_t private_at = a->address - job->thread_base;

    if (a->memory == CHECK_LOCAL)
        fprintf(out, "byte %" PRIu64 " of local memory", a->address - job->local_base);
    else if (a->memory == CHECK_PRIVATE && job->thread_bytes)
        fprintf(out, "byte %" PRIu64 " of its private memory", private_at % job->thread_bytes);
    else if (b)
        fprintf(out, "byte %" PRIu64 " of argument %u", a->address - b->va, b->argument);
    else
        fprintf(out, "0x%" PRIx64, a->address);
}

static void print_bundle(const struct check *c, const struct check_job *job, uint64_t bundle,
                         FILE *out)
{
    uint8_t code[GPU_MAX_BUNDLE_BYTES];
    char text[8192] = "";
    unsigned number = (unsigned)((bundle - job->shader) / c->isa->grain_bytes);
    size_t available = gpu_code_read(c->as, bundle, code, c->isa->max_bytes, NULL);
    struct asm_out to = {.text = text, .size = sizeof(text), .address = bundle};

    if (!c->isa->disasm_bundle || !c->isa->disasm_bundle(code, available, number, 0, &to))
        return;
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        fprintf(out, "        %.*s\n", (int)(end - line), line);
    }
}

static void print_place(const struct check *c, const struct check_job *job, uint64_t bundle,
                        FILE *out)
{
    if (bundle)
        fprintf(out, ", %s_%" PRIu64 " at 0x%" PRIx64, c->isa->bundle_name,
                (bundle - job->shader) / c->isa->grain_bytes, bundle);
    fputc('\n', out);
}

/* ---- a finding ------------------------------------------------------------------------------- */

static bool is_of_barriers(const struct check_finding *f)
{
    return f->kind >= CHECK_PART_OF_WARP;
}

static void print_verb(const struct check_access *a, FILE *out)
{
    const char *verb = a->at.atomic ? "update" : a->store ? "write" : "read";

    fprintf(out, " %s%s%s ", verb, a->at.item == CHECK_MANY_ITEMS ? "" : "s",
            a->at.atomic ? " atomically" : "");
}

static void print_access(const struct check *c, const struct check_finding *f,
                         const struct check_access *a, uint64_t bundle, FILE *out)
{
    const struct check_job *job = &c->jobs.data[f->job];

    fputs("    ", out);
    print_item(job, a->group, a->at.item, out);
    if (is_of_barriers(f)) {
        fputs(bundle && (a == &f->a || f->kind == CHECK_OTHER_BARRIER) ? " waits"
                                                                       : " does not reach it",
              out);
        bundle = a == &f->a || f->kind == CHECK_OTHER_BARRIER ? bundle : 0;
    } else {
        print_verb(a, out);
        if (f->kind == CHECK_RACE || f->kind == CHECK_GROUPS_RACE)
            fputs(a == &f->a ? "" : "the same: ", out);
        else
            fprintf(out, "%u bytes: ", a->bytes);
        print_address(c, job, a, out);
    }
    print_place(c, job, bundle, out);
}

static void print_beside(const struct check *c, const struct check_finding *f, FILE *out)
{
    const struct check_buffer *b = check_buffer_beside(c, f->a.address);

    b = b ? b : check_buffer_beside(c, f->a.address + f->a.bytes - 1);
    if (!b)
        return;
    if (f->a.address + f->a.bytes > b->va + b->bytes)
        fprintf(out,
                "    that ends %" PRIu64 " bytes behind argument %u, which has %" PRIu64 " bytes\n",
                f->a.address + f->a.bytes - b->va - b->bytes, b->argument, b->bytes);
    else
        fprintf(out, "    that begins %" PRIu64 " bytes before argument %u\n", b->va - f->a.address,
                b->argument);
}

static void print_finding(const struct check *c, const struct check_finding *f, FILE *out)
{
    const struct check_job *job = &c->jobs.data[f->job];
    bool two =
        f->kind != CHECK_UNWRITTEN && f->kind != CHECK_OUTSIDE && f->kind != CHECK_MISALIGNED;

    fputs("check: ", out);
    print_title(f, out);
    fprintf(out, ": job at 0x%" PRIx64 ", shader at 0x%" PRIx64 "\n", job->header, job->shader);
    print_access(c, f, &f->a, f->alike.bundle[0], out);
    if (two)
        print_access(c, f, &f->b, f->alike.bundle[1], out);
    if (f->kind == CHECK_OUTSIDE)
        print_beside(c, f, out);
    fprintf(out, "    %" PRIu64 " times, in %" PRIu64 " of %" PRIu64 " work-groups\n", f->count,
            f->groups, job->checked);
    print_bundle(c, job, f->alike.bundle[0], out);
    if (two && f->alike.bundle[1] && f->alike.bundle[1] != f->alike.bundle[0])
        print_bundle(c, job, f->alike.bundle[1], out);
}

/* The finding as one line: what it is, and who accessed the place before. */
static void print_line(const struct check *c, const struct check_finding *f, FILE *out)
{
    const struct check_job *job = &c->jobs.data[f->job];

    print_title(f, out);
    fputs(", ", out);
    print_address(c, job, &f->a, out);
    if (f->kind == CHECK_UNWRITTEN)
        return;
    fputs(": ", out);
    print_item(job, f->a.group, f->a.at.item, out);
    print_verb(&f->a, out);
    fprintf(out, "it, %s_%" PRIu64, c->isa->bundle_name,
            (f->alike.bundle[0] - job->shader) / c->isa->grain_bytes);
}

void check_each_place(const struct check *c,
                      void (*fn)(void *opaque, const struct check_place *place), void *opaque)
{
    vec_for_each (&c->findings, f) {
        bool race = f->kind == CHECK_RACE || f->kind == CHECK_GROUPS_RACE;
        const struct check_access *a = race ? &f->b : &f->a;
        char *text = NULL;
        size_t length;
        FILE *out = (race || f->kind == CHECK_UNWRITTEN) && !check_same_values(c, f)
                        ? open_memstream(&text, &length)
                        : NULL;

        if (!out)
            continue;
        print_line(c, f, out);
        fclose(out);
        fn(opaque, &(struct check_place){.race = race,
                                         .shader = f->alike.shader,
                                         .bundle = f->alike.bundle[race],
                                         .group = a->group,
                                         .item = a->at.item,
                                         .address = a->address,
                                         .text = text});
        free(text);
    }
}

/* Says which work-groups were not checked. */
static void print_limits(const struct check *c, FILE *out)
{
    uint64_t checked = 0, total = 0;

    vec_for_each (&c->jobs, job) {
        checked += job->checked;
        total += job->total;
    }
    fprintf(out, "check: %" PRIu64 " of %" PRIu64 " work-groups of %u jobs\n", checked, total,
            c->jobs.len);
    if (c->cells_full)
        fputs("check: not all global memory was checked for races: there is too much of it\n", out);
    if (!c->buffer_count)
        fputs("check: the sizes of buffers are not known, so accesses beside them were not looked "
              "for\n",
              out);
}

size_t check_print(struct check *c, FILE *out)
{
    size_t count = 0;

    vec_for_each (&c->findings, f) {
        if (check_same_values(c, f))
            continue;
        print_finding(c, f, out);
        count++;
    }
    print_limits(c, out);
    fprintf(out, "check: %zu findings\n", count);
    return count;
}
