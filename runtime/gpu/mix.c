/* Counts of executed instructions. Reports sum up the forms (encodings) of an instruction by
 * name. */
#include "runtime/gpu/mix.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"

struct record {
    uint64_t shader;
    uint64_t *counts;
};

struct gpu_mix {
    const struct gpu_isa *isa;
    unsigned forms;
    uint64_t *total;
    struct record records[GPU_MIX_SHADERS];
    unsigned record_count;
};

/* An instruction in a report. */
struct row {
    const char *unit, *name;
    uint64_t count;
};

unsigned gpu_mix_base(const struct gpu_isa *isa, unsigned unit)
{
    unsigned base = 0;

    for (unsigned u = 0; u < unit; u++)
        base += isa->unit[u]->form_count;
    return base;
}

struct gpu_mix *gpu_mix_new(const struct gpu_isa *isa)
{
    struct gpu_mix *m = xcalloc(1, sizeof(*m));

    m->isa = isa;
    m->forms = gpu_mix_base(isa, isa->unit_count);
    m->total = xcalloc(m->forms + 1, sizeof(*m->total));
    return m;
}

void gpu_mix_free(struct gpu_mix *m)
{
    if (!m)
        return;
    for (unsigned i = 0; i < m->record_count; i++)
        free(m->records[i].counts);
    free(m->total);
    free(m);
}

/* The counts of a shader; NULL: the table is full with GPU_MIX_SHADERS other shaders. */
static uint64_t *counts_of(struct gpu_mix *m, uint64_t shader)
{
    struct record *r;

    for (unsigned i = 0; i < m->record_count; i++)
        if (m->records[i].shader == shader)
            return m->records[i].counts;
    if (m->record_count == GPU_MIX_SHADERS)
        return NULL;
    r = &m->records[m->record_count++];
    *r = (struct record){shader, xcalloc(m->forms + 1, sizeof(*r->counts))};
    return r->counts;
}

void gpu_mix_add(struct gpu_mix *m, uint64_t shader, const uint64_t *counts)
{
    uint64_t *own = counts_of(m, shader);

    for (unsigned i = 0; i < m->forms; i++) {
        m->total[i] += counts[i];
        if (own)
            own[i] += counts[i];
    }
}

/* ---- reports --------------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = strcmp(x->unit, y->unit);

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return order ? order : strcmp(x->name, y->name);
}

/* Adds a form to the row of its instruction, which is one of the last rows of its unit. */
static void add_form(struct row *rows, unsigned *count, const struct row *form)
{
    for (unsigned i = *count; i-- > 0 && rows[i].unit == form->unit;) {
        if (!strcmp(rows[i].name, form->name)) {
            rows[i].count += form->count;
            return;
        }
    }
    rows[(*count)++] = *form;
}

/* The instructions that were executed; the caller frees the array. */
static struct row *rows_of(const struct gpu_mix *m, const uint64_t *counts, unsigned *count)
{
    struct row *rows = xcalloc(m->forms + 1, sizeof(*rows));

    *count = 0;
    for (unsigned u = 0; u < m->isa->unit_count; u++) {
        const struct gpu_unit *unit = m->isa->unit[u];
        const uint64_t *own = counts + gpu_mix_base(m->isa, u);

        for (unsigned f = 0; f < unit->form_count; f++)
            if (own[f])
                add_form(rows, count, &(struct row){unit->name, unit->forms[f].instr, own[f]});
    }
    qsort(rows, *count, sizeof(*rows), by_count);
    return rows;
}

static void write_rows(const struct gpu_mix *m, const uint64_t *counts, FILE *out)
{
    unsigned count;
    struct row *rows = rows_of(m, counts, &count);

    for (unsigned i = 0; i < count; i++)
        fprintf(out, "    %s/%-24s %" PRIu64 "\n", rows[i].unit, rows[i].name, rows[i].count);
    free(rows);
}

bool gpu_mix_write_text(const struct gpu_mix *m, FILE *out)
{
    fprintf(out, "total\n");
    write_rows(m, m->total, out);
    for (unsigned i = 0; i < m->record_count; i++) {
        fprintf(out, "shader 0x%" PRIx64 "\n", m->records[i].shader);
        write_rows(m, m->records[i].counts, out);
    }
    return !ferror(out);
}

static json_t *rows_json(const struct gpu_mix *m, const uint64_t *counts)
{
    json_t *object = json_object();
    unsigned count;
    struct row *rows = rows_of(m, counts, &count);

    for (unsigned i = 0; i < count; i++) {
        char name[128];

        snprintf(name, sizeof(name), "%s/%s", rows[i].unit, rows[i].name);
        json_object_set_new(object, name, json_integer((json_int_t)rows[i].count));
    }
    free(rows);
    return object;
}

bool gpu_mix_write_json(const struct gpu_mix *m, FILE *out)
{
    json_t *root = json_object(), *shaders = json_array();
    bool good;

    for (unsigned i = 0; i < m->record_count; i++) {
        char address[24];

        snprintf(address, sizeof(address), "0x%" PRIx64, m->records[i].shader);
        json_array_append_new(shaders, json_pack("{ss so}", "shader", address, "instructions",
                                                 rows_json(m, m->records[i].counts)));
    }
    json_object_set_new(root, "total", rows_json(m, m->total));
    json_object_set_new(root, "shaders", shaders);
    good = !json_dumpf(root, out, JSON_INDENT(2)) && fputc('\n', out) != EOF;
    json_decref(root);
    return good;
}
