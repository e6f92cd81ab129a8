/* Threads of a core by their work registers, and Mesa's line of figures, which has them. */
#include <string.h>

#include "runtime/report/internal.h"

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
        if (k->summary.registers <= rows[i].up_to)
            return rows[i].threads;
    return 0;
}

void report_line(const struct report *r, const struct report_kernel *k,
                 const struct report_code_text *text, char *line)
{
    char *loops;
    char rest[64];

    strcpy(line, "MESA_SHADER_COMPUTE shader: ");
    gpu_shader_line(&k->summary, r->variant->architecture, line + strlen(line));
    loops = strrchr(line, ',');
    snprintf(rest, sizeof(rest), "%s%s, %u:%u spills:fills",
             r->variant->architecture == 7 ? ", 0 preloads" : "", loops, text->spills, text->fills);
    strcpy(loops, rest);
}
