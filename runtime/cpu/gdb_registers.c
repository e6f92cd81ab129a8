/* GDB's registers: their numbers, their values, and the XML that describes them. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/cpu/gdb_internal.h"

/* ---- sources --------------------------------------------------------------------------------- */

/* Reads one word of gdb_register.source: NAME or NAME@BIT:WIDTH. */
static bool parse_part(const struct cpu_isa *isa, char *word, unsigned bits, struct gdb_part *part)
{
    char *at = strchr(word, '@');
    int end = 0;

    if (at) {
        *at++ = '\0';
        if (sscanf(at, "%u:%u%n", &part->bit, &part->width, &end) != 2 || at[end] || !part->width ||
            part->width > 64 || part->bit + part->width > 64 || part->bit + part->width > bits)
            return false;
    }
    return cpu_register_find(isa, word, &part->view);
}

static bool add_source(struct gdb_registers *r, const struct cpu_isa *isa,
                       const struct gdb_register *reg, struct error *err)
{
    struct gdb_slot slot = {.bytes = reg->bits / 8, .first_part = (unsigned)r->parts.len};
    char *copy = xstrdup(reg->source), *state = NULL;
    bool ok = reg->bits && reg->bits % 8 == 0 && slot.bytes <= CPU_REGISTER_BYTES;

    for (char *word = strtok_r(copy, " ", &state); word && ok; word = strtok_r(NULL, " ", &state)) {
        struct gdb_part part = {0};

        ok = parse_part(isa, word, reg->bits, &part);
        vec_push(&r->parts, part);
        slot.part_count++;
    }
    free(copy);
    if (!ok)
        return error_set(err, "GDB's register %s cannot be made from '%s' of %s", reg->name,
                         reg->source, isa->name);
    vec_push(&r->slots, slot);
    return true;
}

/* Reverses the bytes of a register of a big-endian CPU: GDB's protocol transfers registers in the
 * target's byte order. */
static void order_bytes(const struct cpu *cpu, uint8_t *value, unsigned bytes)
{
    for (unsigned i = 0; cpu_isa_of(cpu)->big_endian && i < bytes / 2; i++) {
        uint8_t low = value[i];

        value[i] = value[bytes - 1 - i];
        value[bytes - 1 - i] = low;
    }
}

void gdb_register_read(const struct gdb_registers *r, struct cpu *cpu, size_t n, uint8_t *value)
{
    const struct gdb_slot *slot = &r->slots.data[n];
    uint64_t joined = 0;

    memset(value, 0, CPU_REGISTER_BYTES);
    for (unsigned i = 0; i < slot->part_count; i++) {
        const struct gdb_part *p = &r->parts.data[slot->first_part + i];
        uint8_t bytes[CPU_REGISTER_BYTES] = {0};

        cpu_register_read(cpu, p->view, bytes);
        if (!p->width) {
            memcpy(value, bytes, slot->bytes);
            order_bytes(cpu, value, slot->bytes);
            return;
        }
        joined = bits_set(joined, p->bit, p->width, le_get(bytes, 8));
    }
    le_put(value, 8, joined);
    order_bytes(cpu, value, slot->bytes);
}

void gdb_register_write(const struct gdb_registers *r, struct cpu *cpu, size_t n,
                        const uint8_t *value)
{
    const struct gdb_slot *slot = &r->slots.data[n];
    uint8_t whole[CPU_REGISTER_BYTES] = {0};

    memcpy(whole, value, slot->bytes);
    order_bytes(cpu, whole, slot->bytes);
    for (unsigned i = 0; i < slot->part_count; i++) {
        const struct gdb_part *p = &r->parts.data[slot->first_part + i];
        uint8_t bytes[CPU_REGISTER_BYTES] = {0};

        if (p->width)
            le_put(bytes, 8, bits_get(le_get(whole, 8), p->bit, p->width));
        cpu_register_write(cpu, p->view, p->width ? bytes : whole);
    }
}

/* ---- the target description ------------------------------------------------------------------ */

static void add_xml(struct gdb_registers *r, const struct gdb_register *reg, const char *group)
{
    gdb_text_add(&r->xml, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\"", reg->name, reg->bits,
                 r->slots.len - 1);
    if (reg->type)
        gdb_text_add(&r->xml, " type=\"%s\"", reg->type);
    if (group)
        gdb_text_add(&r->xml, " group=\"%s\"", group);
    gdb_text_add(&r->xml, "/>\n");
}

static bool add_feature(struct gdb_registers *r, const struct cpu_isa *isa,
                        const struct gdb_feature *f, struct error *err)
{
    gdb_text_add(&r->xml, "<feature name=\"%s\">\n%s", f->name, f->types ? f->types : "");
    for (unsigned n = 0; n < f->count; n++) {
        if (!add_source(r, isa, &f->registers[n], err))
            return false;
        add_xml(r, &f->registers[n], NULL);
    }
    gdb_text_add(&r->xml, "</feature>\n");
    return true;
}

static const char *type_of(const struct cpu_register *reg, unsigned bits)
{
    if (cpu_register_is_pc(reg))
        return "code_ptr";
    switch (bits) {
    case 8:
        return "uint8";
    case 16:
        return "uint16";
    case 32:
        return "uint32";
    case 64:
        return "uint64";
    }
    return "uint128";
}

/* Adds one register of the description by its own name, in lower case. */
static bool add_own(struct gdb_registers *r, const struct cpu_isa *isa,
                    const struct cpu_register *reg, unsigned index, struct error *err)
{
    /* cpu_pc() has 64 bits; GDB's PC has the width that the description declares. */
    unsigned bits = cpu_register_is_pc(reg) ? reg->elem_bits
                                            : 8 * cpu_register_bytes((struct cpu_view){reg, index});
    struct gdb_register own = {.bits = bits, .type = type_of(reg, bits)};
    char name[128];
    int len = reg->count > 1 ? snprintf(name, sizeof(name), "%s%u", reg->name, index)
                             : snprintf(name, sizeof(name), "%s", reg->name);

    if (len < 0 || (size_t)len >= sizeof(name))
        return true; /* left out: its name is too long */
    for (char *c = name; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    own.name = own.source = name;
    if (!add_source(r, isa, &own, err))
        return false;
    add_xml(r, &own, reg->is_sysreg ? "system" : "general");
    return true;
}

/* Whether the target already has a register of that name. */
static bool is_shown(const struct gdb_target *target, const char *name)
{
    for (unsigned f = 0; target && f < target->count; f++) {
        for (unsigned n = 0; n < target->features[f].count; n++) {
            if (!strcasecmp(target->features[f].registers[n].name, name))
                return true;
        }
    }
    return false;
}

static bool add_all_own(struct gdb_registers *r, const struct cpu_isa *isa,
                        const struct gdb_target *target, bool sysregs, struct error *err)
{
    gdb_text_add(&r->xml, "<feature name=\"gencc.%s\">\n", sysregs ? "sysregs" : "registers");
    for (unsigned n = 0; n < isa->register_count; n++) {
        const struct cpu_register *reg = &isa->registers[n];

        if (reg->is_sysreg != sysregs || is_shown(target, reg->name))
            continue;
        for (unsigned i = 0; i < reg->count; i++) {
            if (!add_own(r, isa, reg, i, err))
                return false;
        }
    }
    gdb_text_add(&r->xml, "</feature>\n");
    return true;
}

bool gdb_registers_init(struct gdb_registers *r, const struct cpu_isa *isa,
                        const struct gdb_target *target, struct error *err)
{
    *r = (struct gdb_registers){0};
    gdb_text_add(&r->xml, "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n"
                          "<target>\n");
    if (target)
        gdb_text_add(&r->xml, "<architecture>%s</architecture>\n", target->architecture);
    for (unsigned n = 0; target && n < target->count; n++) {
        if (!add_feature(r, isa, &target->features[n], err))
            return false;
    }
    if (!target && !add_all_own(r, isa, NULL, false, err))
        return false;
    r->general = r->slots.len;
    if (!add_all_own(r, isa, target, true, err))
        return false;
    gdb_text_add(&r->xml, "</target>\n");
    return true;
}

void gdb_registers_free(struct gdb_registers *r)
{
    vec_free(&r->slots);
    vec_free(&r->parts);
    vec_free(&r->xml.chars);
}
