/*
 * The table of GPU variants, as runtime/gpu/variant.h declares it.
 */
#include "gencc/emit/file.h"
#include "gencc/emit/layouts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_text(FILE *o, const char *name, const char *value)
{
    fprintf(o, "        .%s = \"", name);
    for (const char *c = value; *c; c++)
        fprintf(o, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputs("\",\n", o);
}

static void write_number(FILE *o, const char *name, uint64_t value)
{
    fprintf(o, "        .%s = %" PRIu64 ",\n", name, value);
}

static void write_register_values(FILE *o, const struct gpu *g)
{
    if (!g->values.len)
        return;
    fputs("        .values = {\n", o);
    vec_for_each (&g->values, v) {
        fprintf(o, "            {0x%x, 0x%" PRIx32 "}, /* %s",
                v->reg->offset + v->index * v->reg->stride, v->value, v->reg->name);
        if (v->reg->repeated)
            fprintf(o, "[%u]", v->index);
        fputs(" */\n", o);
    }
    fputs("        },\n", o);
    write_number(o, "value_count", g->values.len);
}

/* Parameters, and the source of the value of each. */
static void write_parameters(FILE *o, const char *name, const struct gpu_number *all,
                             unsigned count)
{
    fprintf(o, "        .%s = {\n", name);
    for (unsigned i = 0; i < count; i++)
        fprintf(o, "            .%s = %" PRIu64 ",\n", all[i].name, all[i].value);
    fprintf(o, "        },\n        .%s_source = {\n", name);
    for (unsigned i = 0; i < count; i++)
        write_text(o, all[i].name, all[i].source);
    fputs("        },\n", o);
}

static void write_operating_points(FILE *o, const struct gpu *g)
{
    fputs("        .points = {\n", o);
    vec_for_each (&g->points, p)
        fprintf(o, "            {%" PRIu64 ", %" PRIu64 "},\n", p->mhz, p->millivolt);
    fputs("        },\n", o);
    write_number(o, "point_count", g->points.len);
    write_text(o, "point_source", g->points.data[0].source);
}

static void write_variant(FILE *o, const struct gpu *g)
{
    fputs("    {\n", o);
    write_text(o, "name", g->name);
    write_text(o, "title", g->title);
    write_text(o, "compatible", g->compatible);
    write_text(o, "isa", g->isa);
    if (g->features)
        write_text(o, "features", g->features);
    fprintf(o, "        .product = 0x%" PRIx64 ",\n", g->product);
    fprintf(o, "        .revision = 0x%" PRIx64 ",\n", g->revision);
    write_number(o, "architecture", g->architecture);
    write_number(o, "cores", g->cores);
    fprintf(o, "        .shader_present = UINT64_C(0x%" PRIx64 "),\n", g->shader_present);
    write_number(o, "warp_width", g->warp_width);
    write_number(o, "engines", g->engines);
    write_number(o, "max_threads", g->max_threads);
    write_number(o, "max_group", g->max_group);
    write_number(o, "clock_mhz", g->clock_mhz);
    write_number(o, "bundle_cycles", g->bundle_cycles);
    write_number(o, "stage_cycles", g->stage_cycles);
    write_number(o, "traits", g->traits);
    write_parameters(o, "timing", g->timing, GPU_TIMING_PARAMETERS);
    write_parameters(o, "power", g->power, GPU_POWER_PARAMETERS);
    write_operating_points(o, g);
    write_register_values(o, g);
    fputs("    },\n", o);
}

bool emit_variants(struct gpus *g, const char *dir)
{
    struct diag *d = g->layouts->diag;
    char *made = NULL;
    size_t size = 0;
    FILE *o = open_memstream(&made, &size);
    bool ok = o != NULL;

    if (ok) {
        fprintf(o,
                "/* Made by gencc from the GPUs of '%s'. Edits are lost. */\n"
                "#include \"runtime/gpu/variant.h\"\n\n#include <stddef.h>\n\n"
                "const struct gpu_variant gpu_variants[] = {\n",
                g->layouts->name);
        vec_for_each (&g->all, it)
            write_variant(o, *it);
        fputs("    {.name = NULL},\n};\n", o);
        ok = !fclose(o);
    }
    if (!ok) {
        fprintf(d->out, "gencc: %s\n", strerror(errno));
        d->errors++;
    }
    ok = ok &&
         file_update(d, dir, arena_printf(d->arena, "%s_variants.c", g->layouts->name), made, size);
    free(made);
    return ok;
}
