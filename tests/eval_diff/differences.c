/* Prints in which registers and memory two situations differ. */
#include "tests/eval_diff/differences.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/diff/options.h"

static void print_register(const struct reg_view *v, unsigned index, const struct situation *a,
                           const char *other, const struct situation *b)
{
    unsigned at = v->offset + index * v->reg_stride, bytes = v->type.bits / 8 * v->type.lanes;

    if (memcmp(a->state + at, b->state + at, bytes) == 0)
        return;
    printf("    %s[%u]: ", v->name, index);
    for (unsigned i = bytes; i--;)
        printf("%02x", a->state[at + i]);
    printf(", %s ", other);
    for (unsigned i = bytes; i--;)
        printf("%02x", b->state[at + i]);
    putchar('\n');
}

void print_differences(const struct model *m, const struct situation *a, const char *other,
                       const struct situation *b)
{
    static const char *const leaving[] = {"none", "exception", "undefined", "memory fault",
                                          "broken"};

    vec_for_each (&m->views, v) {
        for (unsigned i = 0; i < (*v)->count && i < 64; i++)
            print_register(*v, i, a, other, b);
    }
    for (unsigned i = 0; i < MEMORY_BYTES; i++) {
        if (a->memory[i] != b->memory[i])
            printf("    memory %" PRIx64 ": %02x, %s %02x\n", MEMORY + i, a->memory[i], other,
                   b->memory[i]);
    }
    if (a->leaving != b->leaving)
        printf("    leaves by %s, %s %s\n", leaving[a->leaving], other, leaving[b->leaving]);
    if (a->broke || b->broke)
        printf("    broken: %s, %s %s\n", a->broke ? a->broke : "-", other,
               b->broke ? b->broke : "-");
    diff_number("pc", a->pc, other, b->pc);
    diff_number("exception class", a->klass, other, b->klass);
    diff_number("code", a->code, other, b->code);
    diff_number("fault address", a->va, other, b->va);
    diff_number("access", a->access, other, b->access);
    diff_number("ring", a->ring, other, b->ring);
    diff_number("event", a->event, other, b->event);
    diff_number("halted", a->halted, other, b->halted);
    diff_number("waits", a->waits, other, b->waits);
    diff_number("pends", a->pends, other, b->pends);
    diff_number("single step", a->single_step, other, b->single_step);
    diff_number("flushes", a->flushes, other, b->flushes);
    diff_number("tables", a->tables, other, b->tables);
    diff_number("address space", a->space, other, b->space);
    for (unsigned i = 0; i < BREAKPOINTS; i++) {
        diff_number("breakpoint", a->breakpoint[i].on, other, b->breakpoint[i].on);
        diff_number("breakpoint at", a->breakpoint[i].first, other, b->breakpoint[i].first);
    }
    for (unsigned i = 0; i < WATCHPOINTS; i++) {
        diff_number("watchpoint", a->watchpoint[i].on, other, b->watchpoint[i].on);
        diff_number("watchpoint from", a->watchpoint[i].first, other, b->watchpoint[i].first);
        diff_number("watchpoint to", a->watchpoint[i].last, other, b->watchpoint[i].last);
    }
    diff_number("effects", a->effects, other, b->effects);
    for (unsigned i = 0; i < MAX_FEATURES; i++)
        diff_number("feature", a->features[i], other, b->features[i]);
}
