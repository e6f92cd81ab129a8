/*
 * What a snapshot holds of a CPU and of its group. Translations, decoded code and what leads to
 * them are not saved: they are found again, and the guest cannot tell.
 */
#include "runtime/cpu/saved.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/internal.h"
#include "runtime/cpu/points.h"

static const struct state_field cpu_fields[] = {
    STATE_FIELD(struct cpu, pc),
    STATE_FIELD(struct cpu, attention),
    STATE_FIELD(struct cpu, ring),
    STATE_FIELD(struct cpu, ticks),
    STATE_FIELD(struct cpu, over),
    STATE_FIELD(struct cpu, features),
    STATE_FIELD(struct cpu, mode),
    STATE_FIELD(struct cpu, lines),
    STATE_FIELD(struct cpu, halted),
    STATE_FIELD(struct cpu, powered),
    STATE_FIELD(struct cpu, event),
    STATE_FIELD(struct cpu, single_step),
    STATE_FIELD(struct cpu, reserved),
    STATE_FIELD(struct cpu, reservation),
    STATE_FIELD(struct cpu, fp_rounding),
    STATE_FIELD(struct cpu, fp_flush),
    STATE_FIELD(struct cpu, ps_per_tick),
    STATE_FIELD(struct cpu, turn_from),
    STATE_FIELD(struct cpu, ahead_ps),
    STATE_FIELD(struct cpu, space),
    STATE_FIELD(struct cpu, delayed_ps),
    STATE_FIELD(struct cpu, turn_delayed),
    STATE_FIELD(struct cpu, points),
    STATE_FIELD(struct cpu, rest),
    STATE_FIELD(struct cpu, rest_pc),
    STATE_FIELD(struct cpu, attended),
    STATE_FIELD(struct cpu, bank),
    STATE_FIELD(struct cpu, banks),
    /* What the guest did. The other counters are about this process, and equal runs save equal
     * bytes. */
    STATE_FIELD(struct cpu, counters.exceptions),
    STATE_FIELD(struct cpu, counters.interrupts),
    STATE_FIELD(struct cpu, counters.undefined),
    STATE_FIELD(struct cpu, counters.memory_faults),
    STATE_FIELD(struct cpu, counters.tlb_flushes),
    STATE_FIELD(struct cpu, counters.mmio_reads),
    STATE_FIELD(struct cpu, counters.mmio_writes),
    STATE_FIELD(struct cpu, counters.exception_class),
    STATE_END,
};

static const struct state_field group_fields[] = {
    STATE_FIELD(struct cpu_group, open),
    STATE_FIELD(struct cpu_group, next),
    STATE_FIELD(struct cpu_group, turn_ps),
    STATE_FIELD(struct cpu_group, turns),
    STATE_END,
};

/* The rest is found out again: it also depends on what is translated. */
enum { SAVED_ATTENTION = CPU_ATT_STOP | CPU_ATT_HALT | CPU_ATT_EVENT | CPU_ATT_STEP };

/* The registers, and the executed instructions by ring and class, as fields of two objects. */
struct blobs {
    char name[2][24];
    struct state_field registers[2], classes[2];
    void *counts; /* NULL: the CPU is not in a code cache */
};

static void describe_blobs(const struct cpu *cpu, struct blobs *b)
{
    struct code_isa *isa = cpu->code ? code_isa_find(cpu->code, cpu->isa) : NULL;
    size_t bytes = isa ? (size_t)CPU_RINGS * isa->class_count * sizeof(*isa->counts) : 0;

    *b = (struct blobs){.registers = {{"registers", 0, cpu->isa->state_bytes}},
                        .classes = {{"classes", 0, bytes}}};
    snprintf(b->name[0], sizeof(b->name[0]), "cpu%u", cpu->number);
    snprintf(b->name[1], sizeof(b->name[1]), "cpu%u.registers", cpu->number);
    if (isa)
        b->counts = isa->counts + (size_t)cpu->slot * CPU_RINGS * isa->class_count;
}

bool cpu_can_save(const struct cpu *cpu)
{
    return !cpu->repeats && !cpu->repeated;
}

/* Clears the register that takes results which no instruction reads. Translated code does not write
 * it, so its value depends on what was translated. */
static void clear_sink(struct cpu *cpu)
{
    for (unsigned n = 0; n < cpu->isa->register_count; n++) {
        const struct cpu_register *r = &cpu->isa->registers[n];

        if (r->tag && !strcmp(r->tag, "SINK"))
            memset(cpu->state + r->offset, 0, r->elem_bits / 8 * r->lanes);
    }
}

void cpu_save(struct cpu *cpu, struct state_buf *buf)
{
    uint32_t attention = cpu->attention;
    char classes[32];
    struct blobs b;

    describe_blobs(cpu, &b);
    if (cpu->code)
        code_sum_counts(cpu->code);
    cpu->attention &= SAVED_ATTENTION;
    state_save(buf, b.name[0], cpu_fields, cpu);
    cpu->attention = attention;
    clear_sink(cpu);
    state_save(buf, b.name[1], b.registers, cpu->state);
    snprintf(classes, sizeof(classes), "cpu%u.classes", cpu->number);
    if (b.counts)
        state_save(buf, classes, b.classes, b.counts);
}

/* Makes loaded values sound: a snapshot is a file, and may hold any. */
static void check_cpu(struct cpu *cpu)
{
    struct cpu_points *p = &cpu->points;

    cpu->attention &= SAVED_ATTENTION;
    cpu->attention |= cpu->powered ? 0 : CPU_ATT_STOP;
    cpu->bank %= CPU_BANKS;
    if (p->stops.count > CPU_BREAKPOINTS)
        p->stops.count = 0;
    cpu->fp_rounding &= 7;
    cpu->repeats = cpu->repeated = false;
    cpu->debug_state = CPU_DEBUG_NONE;
    cpu->goal = 0;
    if (cpu->rest || cpu->attended)
        cpu->attention |= CPU_ATT_DEBUG;
}

bool cpu_load(struct cpu *cpu, const struct state_buf *buf, struct error *err)
{
    struct cpu_counters counters;
    uint32_t bank;
    uint64_t space;
    char classes[32];
    struct blobs b;

    cpu_code_flush(cpu);
    if (cpu->code)
        code_sum_counts(cpu->code); /* what ran here until now is forgotten with the counts */
    describe_blobs(cpu, &b);
    snprintf(classes, sizeof(classes), "cpu%u.classes", cpu->number);
    if (!state_load(buf, b.name[0], cpu_fields, cpu, err) ||
        !state_load(buf, b.name[1], b.registers, cpu->state, err) ||
        (b.counts && !state_load(buf, classes, b.classes, b.counts, err)))
        return false;
    check_cpu(cpu);
    counters = cpu->counters;
    bank = cpu->bank;
    space = cpu->space;
    cpu_state_changed(cpu);
    cpu->space = space;
    cpu->bank = bank;
    cpu->banks[bank].known = true;
    cpu_select_tables(cpu);
    cpu->counters = counters;
    return true;
}

bool cpu_check(const struct cpu *cpu, const struct state_buf *buf, struct error *err)
{
    struct cpu *scratch =
        xalloc_aligned(_Alignof(struct cpu), sizeof(*scratch) + cpu->isa->state_bytes);
    char classes[32];
    struct blobs b;
    void *counts;
    bool ok;

    describe_blobs(cpu, &b);
    counts = xcalloc(1, b.classes[0].size + 1);
    snprintf(classes, sizeof(classes), "cpu%u.classes", cpu->number);
    ok = state_load(buf, b.name[0], cpu_fields, scratch, err) &&
         state_load(buf, b.name[1], b.registers, scratch->state, err) &&
         (!b.counts || state_load(buf, classes, b.classes, counts, err));
    free(counts);
    free(scratch);
    return ok;
}

void cpu_group_save(const struct cpu_group *g, struct state_buf *buf)
{
    state_save(buf, "turn", group_fields, g);
}

bool cpu_group_load(struct cpu_group *g, const struct state_buf *buf, struct error *err)
{
    if (!state_load(buf, "turn", group_fields, g, err))
        return false;
    g->next = g->next < g->count ? g->next : g->count;
    g->turn_ps = g->turn_ps > 0 ? g->turn_ps : 1;
    return true;
}

bool cpu_group_check(const struct state_buf *buf, struct error *err)
{
    struct cpu_group scratch = {0};

    return state_load(buf, "turn", group_fields, &scratch, err);
}
