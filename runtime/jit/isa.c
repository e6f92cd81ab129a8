/* Slots of an ISA: which bytes of the state form one variable, derived from its register table. */
#include "runtime/base/alloc.h"
#include "runtime/jit/internal.h"

/* ---- slots ----------------------------------------------------------------------------------- */

/* Joins byte ranges: start[b] and end[b] bound the range that byte b is in. */
struct ranges {
    uint32_t *start, *end;
};

static void merge_ranges(struct ranges *r, uint32_t from, uint32_t to)
{
    uint32_t low = from, high = to;

    for (uint32_t b = from; b < to; b++) {
        low = r->end[b] && r->start[b] < low ? r->start[b] : low;
        high = r->end[b] > high ? r->end[b] : high;
    }
    for (uint32_t b = low; b < high; b++) {
        r->start[b] = low;
        r->end[b] = high;
    }
}

static void add_register(struct ranges *r, const struct cpu_isa *isa,
                         const struct cpu_register *reg)
{
    uint32_t size = reg->elem_bits / 8 * reg->lanes;

    if (reg->offset == CPU_NO_STORAGE || !size)
        return;
    for (unsigned n = 0; n < reg->count; n++) {
        uint64_t from = reg->offset + (uint64_t)reg->stride * n;

        if (from + size <= isa->state_bytes)
            merge_ranges(r, (uint32_t)from, (uint32_t)from + size);
    }
}

/* Finds the registers that always read as zero, or are never read. */
static void find_special(struct isa_map *m)
{
    for (unsigned n = 0; n < m->isa->register_count; n++) {
        const struct cpu_register *reg = &m->isa->registers[n];
        struct slot slot = {reg->offset, (uint16_t)(reg->elem_bits / 8 * reg->lanes)};

        if (reg->tag && !strcmp(reg->tag, "ZERO"))
            m->zero = slot;
        else if (reg->tag && !strcmp(reg->tag, "SINK"))
            m->sink = slot;
    }
}

static void find_slots(struct isa_map *m)
{
    uint32_t bytes = (uint32_t)m->isa->state_bytes, size;
    struct ranges r = {xcalloc(bytes + 1, sizeof(uint32_t)), xcalloc(bytes + 1, sizeof(uint32_t))};

    for (unsigned n = 0; n < m->isa->register_count; n++)
        add_register(&r, m->isa, &m->isa->registers[n]);
    m->slot_at = xcalloc(bytes + 1, sizeof(*m->slot_at));
    for (uint32_t b = 0; b < bytes; b += size) {
        size = r.end[b] ? r.end[b] - b : 1;
        if (!r.end[b] || size > 16 || (size & (size - 1)) || m->slots.len == UINT16_MAX)
            continue;
        vec_push(&m->slots, (struct slot){b, (uint16_t)size});
        for (uint32_t k = 0; k < size; k++)
            m->slot_at[b + k] = (uint16_t)m->slots.len;
    }
    free(r.start);
    free(r.end);
}

/* Halves of the slots that the bank tagged PARTS lies over. */
static void find_parts(struct isa_map *m)
{
    m->first_part = m->slots.len;
    m->part_at = xcalloc(m->isa->state_bytes + 1, sizeof(*m->part_at));
    for (unsigned n = 0; n < m->isa->register_count; n++) {
        const struct cpu_register *reg = &m->isa->registers[n];
        uint16_t size = (uint16_t)(reg->elem_bits / 8 * reg->lanes);

        for (unsigned k = 0; reg->tag && !strcmp(reg->tag, "PARTS") && k < reg->count; k++) {
            uint32_t from = reg->offset + reg->stride * k;
            unsigned whole = m->slot_at[from];

            if (!whole || m->slots.data[whole - 1].size != 2 * size || m->slots.len == UINT16_MAX)
                continue;
            vec_push(&m->slots, (struct slot){from, size});
            for (uint32_t at = from; at < from + size; at++)
                m->part_at[at] = (uint16_t)m->slots.len;
        }
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

insn_translate_fn *isa_map_translator(const struct isa_map *m, const struct insn *i)
{
    return i->form < m->isa->form_count ? m->isa->forms[i->form].translate : NULL;
}

struct isa_map *isa_map_new(const struct cpu_isa *isa)
{
    struct isa_map *m = xcalloc(1, sizeof(*m));

    m->isa = isa;
    find_slots(m);
    find_special(m);
    find_parts(m);
    return m;
}

void isa_map_free(struct isa_map *m)
{
    if (!m)
        return;
    vec_free(&m->slots);
    free(m->slot_at);
    free(m->part_at);
    free(m);
}
