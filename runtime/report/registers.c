/* Threads per core by work registers per thread, and Mesa's line of figures, which has both. */
#include <stdio.h>
#include <string.h>

#include "runtime/report/internal.h"

enum { FETCHED_BYTES = 128 };

/* Mesa's name for the stage of OpenCL kernels. */
#define STAGE "MESA_SHADER_KERNEL shader: "

unsigned report_registers(const struct report *r, struct report_registers *rows)
{
    uint64_t all = r->params.core_registers, step = r->params.register_step;
    unsigned count = 0;

    if (!all || !step)
        return 0;
    for (uint64_t up_to = step; count < REPORT_REGISTER_ROWS && up_to <= r->isa->work_registers;
         up_to *= 2)
        rows[count++] = (struct report_registers){(unsigned)up_to, (unsigned)(all / up_to)};
    return count;
}

unsigned report_threads(const struct report *r, const struct report_kernel *k)
{
    struct report_registers rows[REPORT_REGISTER_ROWS];
    unsigned count = report_registers(r, rows);

    for (unsigned i = 0; i < count; i++)
        if (k->registers && k->registers <= rows[i].register_limit)
            return rows[i].threads;
    return count ? rows[count - 1].threads : 0;
}

/* Grains of zeros that Mesa adds behind the last bundle and counts: the GPU fetches instructions
 * FETCHED_BYTES ahead. */
static unsigned padding_of(const struct report *r, const struct report_kernel *k)
{
    const struct report_bundle *last = &k->bundles.data[k->bundles.len - 1];

    if (r->variant->architecture < 6 || !k->bundles.len || last->bytes >= FETCHED_BYTES)
        return 0;
    return (FETCHED_BYTES - last->bytes) / r->isa->grain_bytes;
}

/* Mesa's line for architectures before 6, whose bundles have one stage. "threads" is relative: 4
 * with at most 4 registers, 2 with at most 8, else 1. */
static void print_plain(const struct report_kernel *k, const struct report_code_text *text,
                        char *line)
{
    const struct gpu_shader_summary *s = &k->summary;
    unsigned threads = k->registers <= 4 ? 4 : k->registers <= 8 ? 2 : 1;

    snprintf(line, REPORT_LINE,
             "%s%u inst, %u bundles, %u quadwords, %u registers, %u threads, %u loops, "
             "%u:%u spills:fills",
             STAGE, s->instructions, s->bundles, s->grains, k->registers, threads, s->loops,
             text->spills, text->fills);
}

void report_line(const struct report *r, const struct report_kernel *k,
                 const struct report_code_text *text, char *line)
{
    unsigned architecture = r->variant->architecture;
    struct gpu_shader_summary s = k->summary;
    char figures[GPU_SHADER_LINE];
    const char *loops;

    if (architecture < 6) {
        print_plain(k, text, line);
        return;
    }
    s.grains += padding_of(r, k);
    s.registers = k->registers ? k->registers : r->isa->work_registers;
    gpu_shader_line(&s, architecture, figures);
    loops = strrchr(figures, ',');
    snprintf(line, REPORT_LINE, "%s%.*s%s%s, %u:%u spills:fills", STAGE, (int)(loops - figures),
             figures, architecture == 7 ? ", 0 preloads" : "", loops, text->spills, text->fills);
}
