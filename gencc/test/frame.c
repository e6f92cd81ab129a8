/*
 * Signal frames as carriers of state; see frame.h.
 */
#include "gencc/test/frame.h"

#include <stdio.h>
#include <string.h>

void guest_put(const struct abi_facts *f, uint8_t *to, u128 value, unsigned bytes)
{
    for (unsigned n = 0; n < bytes; n++)
        to[f->big_endian ? bytes - 1 - n : n] = (uint8_t)(value >> 8 * n);
}

u128 guest_get(const struct abi_facts *f, const uint8_t *from, unsigned bytes)
{
    u128 value = 0;

    for (unsigned n = 0; n < bytes; n++)
        value |= (u128)from[f->big_endian ? bytes - 1 - n : n] << 8 * n;
    return value;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void add_registers(struct frame *f, const struct abi_item *item, const struct place *first)
{
    for (unsigned n = 0; n < item->count; n++) {
        struct carried part = {.kind = ABI_REGISTER,
                               .at = item->at + n * item->bytes,
                               .bytes = item->bytes,
                               .place = *first,
                               .control = first->sysreg || !first->view || !first->view->is_bank};

        part.place.index += n;
        part.bits = frame_part_mask(&part);
        part.name =
            first->view && first->view->is_bank
                ? arena_printf(f->m->model->arena, "%s%u", first->view->name, part.place.index)
                : item->name;
        part.control = part.control && strcmp(item->name, f->facts->stack) != 0;
        vec_push_in(f->m->model->arena, &f->parts, part);
    }
}

bool frame_prepare(struct frame *f, struct machine *m)
{
    *f = (struct frame){.m = m, .facts = m->facts};
    f->get = machine_export(m, "user_value");
    f->set = machine_export(m, "set_user_value");
    vec_for_each (&f->facts->items, item) {
        struct place place;

        unsigned end = item->at + item->bytes * (item->count ? item->count : 1);

        if (item->kind == ABI_INFO) {
            f->info_at = item->at;
            end = item->at + 4;
        }
        if (item->kind <= ABI_VALUE && item->kind != ABI_STACK && item->kind != ABI_MASK &&
            !item->saved && end > f->extent)
            f->extent = end;
        if (item->kind == ABI_REGISTER && !item->saved) {
            if (!place_find(m, item->name, &place)) {
                fprintf(stderr, "gencc test: there is no register %s\n", item->name);
                return false;
            }
            add_registers(f, item, &place);
        }
        if (item->kind == ABI_VALUE || item->kind == ABI_PC)
            vec_push_in(m->model->arena, &f->parts,
                        ((struct carried){.name = item->kind == ABI_PC
                                                      ? "PC"
                                                      : arena_printf(m->model->arena, "value%u",
                                                                     (unsigned)item->value),
                                          .kind = item->kind,
                                          .at = item->at,
                                          .bytes = item->bytes,
                                          .value = item->value,
                                          .bits = ~item->must,
                                          .control = true}));
    }
    return true;
}

u128 frame_part_mask(const struct carried *part)
{
    unsigned bytes = part->bytes;

    if (part->kind == ABI_REGISTER && part->place.bytes < bytes)
        bytes = part->place.bytes;
    return bytes < 16 ? ((u128)1 << 8 * bytes) - 1 : ~(u128)0;
}

u128 frame_part(struct frame *f, const struct carried *part)
{
    uint64_t value = 0;
    u128 result = 0;

    if (part->kind == ABI_PC)
        result = f->m->w.pc;
    else if (part->kind == ABI_REGISTER)
        result = place_read(f->m, &part->place);
    else if (f->get && machine_call(f->m, f->get, 1, &part->value, &value))
        result = value;
    return result & frame_part_mask(part);
}

void frame_set_part(struct frame *f, const struct carried *part, u128 value)
{
    uint64_t pc = f->m->w.pc, args[2] = {part->value, (uint64_t)value};

    value &= frame_part_mask(part);
    if (part->kind == ABI_REGISTER)
        place_write(f->m, &part->place, value);
    if (part->kind == ABI_VALUE && f->set)
        machine_call(f->m, f->set, 2, args, NULL);
    f->m->w.pc = pc;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void write_structure(const struct abi_facts *f, uint8_t *to, uint64_t alt, uint64_t bytes)
{
    vec_for_each (&f->stack_t, m) {
        uint64_t value = !m->name                   ? 0
                         : !strcmp(m->name, "sp")   ? alt
                         : !strcmp(m->name, "size") ? bytes
                                                    : 0;

        guest_put(f, to, value, m->bytes);
        to += m->bytes;
    }
}

void frame_write(struct frame *f, uint8_t *to, uint64_t alt, uint64_t alt_bytes)
{
    memset(to, 0, f->facts->frame_bytes);
    vec_for_each (&f->facts->items, item) {
        if (item->kind == ABI_STACK)
            write_structure(f->facts, to + item->at, alt, alt_bytes);
        if (item->kind == ABI_CONSTANT)
            guest_put(f->facts, to + item->at, item->value, item->bytes);
        if (item->kind == ABI_HEAD) {
            guest_put(f->facts, to + item->at, item->value, 4);
            guest_put(f->facts, to + item->at + 4, item->bytes, 4);
        }
    }
    vec_for_each (&f->parts, part)
        guest_put(f->facts, to + part->at, frame_part(f, part), part->bytes);
}

static bool set_named(struct frame *f, const char *name, uint64_t value)
{
    struct place place;

    return place_find(f->m, name, &place) && place_write(f->m, &place, value);
}

bool frame_write_call(struct frame *f, uint8_t *to, const struct frame_call *call, uint64_t alt,
                      uint64_t alt_bytes)
{
    uint32_t number = abi_call(f->facts, call->name);
    bool ok;

    if (number == UINT32_MAX) {
        fprintf(stderr, "gencc test: the ABI has no call %s\n", call->name);
        return false;
    }
    if (machine_reset(f->m))
        return false;
    f->m->w.pc = call->pc;
    ok = set_named(f, f->facts->number, number) && set_named(f, f->facts->stack, call->sp);
    for (unsigned n = 0; ok && n < call->count && n < f->facts->argument_count; n++)
        ok = set_named(f, f->facts->argument[n], call->argument[n]);
    frame_write(f, to, alt, alt_bytes);
    return ok;
}
