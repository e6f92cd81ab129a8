/*
 * Emission of several ISAs in parallel, one process per ISA. A process returns its findings through
 * a pipe.
 */
#include "gencc/emit/apart.h"
#include "gencc/model/model.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Findings of a process about its ISA. In the pipe, vector types and the flags of translated forms
 * follow. */
struct finding {
    unsigned vectors, operand_bytes;
    bool translators;
};

struct worker {
    pid_t process;
    FILE *from;
    struct emit found; /* copy of the ISA's, with the findings of its process */
};

/* ---- in the copy ----------------------------------------------------------------------------- */

/* Writes an array, which may be NULL if it is empty. False: the write failed. */
static bool write_array(const void *array, size_t size, size_t count, FILE *to)
{
    return !count || fwrite(array, size, count, to) == count;
}

static bool send_results(const struct emit *e, FILE *to)
{
    const struct finding f = {e->vectors.len, e->max_operand_bytes, e->translated != NULL};
    unsigned forms = f.translators ? e->isa->forms.len : 0;

    return fwrite(&f, sizeof(f), 1, to) == 1 &&
           write_array(e->vectors.data, sizeof(*e->vectors.data), f.vectors, to) &&
           write_array(e->translated, sizeof(*e->translated), forms, to) && !fflush(to);
}

/* Emits the ISA without messages. Returns whether there was no error. */
static bool write_isa(struct emit *e, bool (*isa)(struct emit *e))
{
    unsigned errors = e->diag->errors;

    e->diag->out = fopen("/dev/null", "w");
    return e->diag->out && isa(e) && !e->failed && e->diag->errors == errors;
}

static bool start_worker(struct worker *w, struct emit *e, bool (*isa)(struct emit *e))
{
    int ends[2];

    if (pipe(ends))
        return false;
    w->process = fork();
    if (!w->process) {
        FILE *to = fdopen(ends[1], "w");

        close(ends[0]);
        _exit(to && write_isa(e, isa) && send_results(e, to) ? 0 : 1);
    }
    close(ends[1]);
    if (w->process > 0)
        w->from = fdopen(ends[0], "r");
    if (!w->from)
        close(ends[0]);
    return w->from;
}

/* ---- in the first process -------------------------------------------------------------------- */

static bool receive_results(struct emit *e, FILE *from)
{
    struct finding f;

    if (fread(&f, sizeof(f), 1, from) != 1)
        return false;
    e->max_operand_bytes = f.operand_bytes;
    e->vectors.data = arena_alloc(e->arena, f.vectors * sizeof(*e->vectors.data));
    e->vectors.len = e->vectors.cap = f.vectors;
    if (fread(e->vectors.data, sizeof(*e->vectors.data), f.vectors, from) != f.vectors)
        return false;
    if (!f.translators)
        return true;
    e->translated = arena_alloc(e->arena, (e->isa->forms.len + 1) * sizeof(*e->translated));
    return fread(e->translated, sizeof(*e->translated), e->isa->forms.len, from) ==
           e->isa->forms.len;
}

/* Collects a process, also one that could not be started. */
static bool finish_worker(struct worker *w, const struct emit *e)
{
    int status = 1;
    bool ok;

    w->found = *e;
    ok = w->from && receive_results(&w->found, w->from);
    if (w->from)
        fclose(w->from);
    if (w->process > 0 && waitpid(w->process, &status, 0) < 0)
        status = 1;
    return ok && !status;
}

static bool several_processors(void)
{
    cpu_set_t ours;

    return !sched_getaffinity(0, sizeof(ours), &ours) && CPU_COUNT(&ours) > 1;
}

bool emit_apart(struct emit *e, unsigned count, bool (*isa)(struct emit *e))
{
    struct worker *workers;
    bool ok = true;

    if (count < 2 || !several_processors())
        return false;
    workers = arena_alloc(e->arena, count * sizeof(*workers));
    for (unsigned n = 0; ok && n < count; n++)
        ok = start_worker(&workers[n], &e[n], isa);
    for (unsigned n = 0; n < count; n++)
        ok &= finish_worker(&workers[n], &e[n]);
    for (unsigned n = 0; ok && n < count; n++)
        e[n] = workers[n].found;
    return ok;
}
