/*
 * Registers of warps for GDB, in its numbers: those of the borrowed architecture, then work
 * registers and temporaries of all lanes as vectors, uniforms, and what describes the warp.
 */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/debug/remote_internal.h"

enum { MAX_WORDS = 4 };

/* Registers that describe a warp; %s is the ISA's word. */
enum own { OWN_LANES, OWN_LIVE, OWN_LANE, OWN_BUNDLE, OWN_STAGE, OWN_COUNT };

static const char *own_name(const struct gpu_remote *r, enum own n)
{
    const struct gpu_isa *isa = r->config.isa;

    return n == OWN_LANES    ? "lanes"
           : n == OWN_LIVE   ? "live"
           : n == OWN_LANE   ? "lane"
           : n == OWN_BUNDLE ? isa->bundle_name
                             : isa->stage_name;
}

static unsigned lanes_of(const struct gpu_remote *r, const struct gpu_debug_register *reg)
{
    return reg->bank == GPU_DEBUG_UNIFORM ? 1 : r->config.width;
}

/* ---- the target description ------------------------------------------------------------------ */

/* Types of a register with `words` words in each of `lanes` lanes: l1, l4; p2 for uniforms. */
static void describe_type(struct gpu_remote *r, char letter, unsigned words, unsigned lanes)
{
    static const struct {
        const char *name, *type;
    } kinds[] = {{"u32", "uint32"}, {"i32", "int32"}, {"f32", "ieee_single"}};
    struct gdb_text *x = &r->xml;

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        if (words > 1)
            gdb_text_add(x, "<vector id=\"%c%u_%s_words\" type=\"%s\" count=\"%u\"/>", letter,
                         words, kinds[k].name, kinds[k].type, words);
        gdb_text_add(x, "<vector id=\"%c%u_%s\" type=\"", letter, words, kinds[k].name);
        if (words > 1)
            gdb_text_add(x, "%c%u_%s_words", letter, words, kinds[k].name);
        else
            gdb_text_add(x, "%s", kinds[k].type);
        gdb_text_add(x, "\" count=\"%u\"/>", lanes);
    }
    gdb_text_add(x, "<union id=\"%c%u\">", letter, words);
    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
        gdb_text_add(x, "<field name=\"%s\" type=\"%c%u_%s\"/>", kinds[k].name, letter, words,
                     kinds[k].name);
    gdb_text_add(x, "</union>\n");
}

static void describe_registers(struct gpu_remote *r)
{
    unsigned count;
    const struct gpu_debug_register *regs = gpu_debug_registers(r->debug, &count);

    for (unsigned i = 0; i < count; i++) {
        bool uniform = regs[i].bank == GPU_DEBUG_UNIFORM;
        const char *group = regs[i].bank == GPU_DEBUG_WORK && regs[i].name[0] == 'r' ? "general"
                            : uniform                                                ? "uniform"
                                                                                     : "temporary";

        gdb_text_add(&r->xml, "<reg name=\"%s\" bitsize=\"%u\" type=\"%c%u\" group=\"%s\"/>\n",
                     regs[i].name, 32 * regs[i].words * lanes_of(r, &regs[i]), uniform ? 'p' : 'l',
                     regs[i].words, group);
    }
}

void remote_describe(struct gpu_remote *r)
{
    const struct gpu_remote_config *c = &r->config;
    unsigned words = c->isa->register_slots ? c->isa->register_slots : 1;

    gdb_text_add(&r->xml,
                 "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                 "<target version=\"1.0\">\n<architecture>%s</architecture>\n"
                 "<feature name=\"%s\">\n",
                 c->architecture, c->feature);
    /* Registers that do not exist have the type of a number, which keeps them out of `info
     * registers`. */
    for (size_t i = 0; i < c->register_count; i++)
        gdb_text_add(&r->xml, "<reg name=\"%s\" bitsize=\"%u\" type=\"%s\"/>\n",
                     c->registers[i].name, c->registers[i].bits,
                     !strcmp(c->registers[i].name, "pc") ? "code_ptr"
                     : c->registers[i].bits == 64        ? "ieee_double"
                                                         : "ieee_single");
    gdb_text_add(&r->xml, "</feature>\n<feature name=\"org.gencc.shader\">\n");
    describe_type(r, 'l', 1, c->width);
    if (words > 1)
        describe_type(r, 'l', words, c->width);
    describe_type(r, 'p', 2, 1);
    describe_registers(r);
    for (unsigned n = 0; n < OWN_COUNT; n++)
        gdb_text_add(&r->xml,
                     "<reg name=\"%s\" bitsize=\"32\" type=\"uint32\" group=\"general\"/>\n",
                     own_name(r, n));
    gdb_text_add(&r->xml, "</feature>\n</target>\n");
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint32_t own_value(struct gpu_remote *r, const struct gpu_debug_warp *w, enum own n)
{
    const struct gpu_debug_stop *stop = gpu_debug_last_stop(r->debug);

    switch (n) {
    case OWN_LANES:
        return w->active;
    case OWN_LIVE:
        return w->live;
    case OWN_LANE:
        return w->thread == stop->thread ? stop->lane : (uint32_t)__builtin_ctz(w->live);
    case OWN_BUNDLE:
        return (uint32_t)((w->pc - gpu_debug_shader(r->debug)) / r->config.isa->grain_bytes);
    default:
        return w->active ? gpu_debug_stage(r->debug) : 0;
    }
}

static void add_unknown(struct gdb_text *out, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        gdb_text_add(out, "xx");
}

/* Appends a register of the description, lane by lane. */
static void add_register(struct gpu_remote *r, const struct gpu_debug_warp *w,
                         const struct gpu_debug_register *reg, struct gdb_text *out)
{
    uint32_t words[MAX_WORDS] = {0};

    for (unsigned lane = 0; lane < lanes_of(r, reg); lane++) {
        if (reg->words <= MAX_WORDS && gpu_debug_get(r->debug, w, lane, reg, words))
            gdb_text_hex(out, words, reg->words * sizeof(*words));
        else
            add_unknown(out, reg->words * sizeof(*words));
    }
}

bool remote_get(struct gpu_remote *r, const struct gpu_debug_warp *w, size_t n,
                struct gdb_text *out)
{
    const struct gpu_remote_config *c = &r->config;
    unsigned count;
    const struct gpu_debug_register *regs = gpu_debug_registers(r->debug, &count);
    uint32_t value;

    if (n < c->register_count) {
        if (!strcmp(c->registers[n].name, "pc"))
            gdb_text_hex(out, &w->pc, sizeof(w->pc));
        else
            add_unknown(out, c->registers[n].bits / 8);
        return true;
    }
    n -= c->register_count;
    if (n < count) {
        add_register(r, w, &regs[n], out);
        return true;
    }
    n -= count;
    if (n >= OWN_COUNT)
        return false;
    value = own_value(r, w, (enum own)n);
    gdb_text_hex(out, &value, sizeof(value));
    return true;
}

bool remote_set(struct gpu_remote *r, const struct gpu_debug_warp *w, size_t n, const char *hex)
{
    const struct gpu_remote_config *c = &r->config;
    unsigned count;
    const struct gpu_debug_register *regs = gpu_debug_registers(r->debug, &count);
    uint32_t words[MAX_WORDS];
    uint64_t pc;

    if (n < c->register_count)
        return !strcmp(c->registers[n].name, "pc") && gdb_parse_hex(hex, &pc, sizeof(pc)) &&
               gpu_debug_jump(r->debug, w, pc, NULL);
    n -= c->register_count;
    if (n == count + OWN_LANE)
        return gdb_parse_hex(hex, words, 4) && gpu_debug_select(r->debug, w->thread, words[0]);
    if (n >= count || regs[n].words > MAX_WORDS)
        return false;
    for (unsigned lane = 0; lane < lanes_of(r, &regs[n]); lane++) {
        if (!gdb_parse_hex(hex + 8 * regs[n].words * lane, words, 4 * regs[n].words) ||
            !gpu_debug_set(r->debug, w, lane, &regs[n], words))
            return false;
    }
    return true;
}
