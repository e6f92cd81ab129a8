/*
 * Saves and restores registers in the frame of a signal handler. The ABI lists the frame's items.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/user/user.h"

/* Registers of user_frames.item and .enter, without and with siginfo; set by frame_find(). */
static struct cpu_view *found[2], *entered[2];

/* A transfer between a frame and a thread. */
struct transfer {
    struct thread *t;
    const struct user_frame *frame; /* NULL: the frame is restored */
    uint64_t *mask;
    stack_t *alt;
};

bool frame_find(struct error *err)
{
    for (unsigned k = 0; k < ARRAY_SIZE(found); k++) {
        const struct user_frames *f = &user_abi.frames[k];

        found[k] = xcalloc(f->item_count + 1, sizeof(*found[k]));
        entered[k] = xcalloc(f->enter_count + 1, sizeof(*entered[k]));
        for (unsigned n = 0; n < f->item_count; n++) {
            if (f->item[n].kind == FRAME_REGISTER &&
                !cpu_register_find(user_abi.isa, f->item[n].name, &found[k][n]))
                return error_set(err, "the description has no register %s", f->item[n].name);
        }
        for (unsigned n = 0; n < f->enter_count; n++) {
            if (!cpu_register_find(user_abi.isa, f->enter[n].name, &entered[k][n]))
                return error_set(err, "the description has no register %s", f->enter[n].name);
        }
    }
    return true;
}

static void put_bytes(uint8_t *to, uint64_t value, unsigned bytes)
{
    guest_order(&value, bytes);
    memcpy(to, &value, bytes);
}

static uint64_t get_bytes(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;

    memcpy(&value, from, bytes);
    guest_order(&value, bytes);
    return value;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The item's registers in the CPU state, if their bytes are the same in the frame; else NULL. */
static uint8_t *as_in_frame(struct cpu *cpu, struct cpu_view v, const struct frame_item *i)
{
    const struct cpu_register *r = v.reg;

    if (user_abi.big_endian || r->is_sysreg || r->offset == CPU_NO_STORAGE ||
        cpu_register_is_pc(r) || cpu_register_bytes(v) != i->bytes ||
        (i->count > 1 && r->stride != i->bytes))
        return NULL;
    return cpu_state(cpu) + r->offset + v.index * r->stride;
}

/* Saves registers, zero-extended to the size of their place. */
static void save_registers(struct cpu *cpu, struct cpu_view v, const struct frame_item *i,
                           uint8_t *to)
{
    const uint8_t *state = as_in_frame(cpu, v, i);

    if (state)
        memcpy(to, state, (size_t)i->count * i->bytes);
    for (unsigned n = 0; !state && n < i->count; n++, v.index++) {
        uint8_t value[2 * CPU_REGISTER_BYTES] = {0};

        cpu_register_read(cpu, v, value);
        guest_order(value, i->bytes);
        memcpy(to + n * i->bytes, value, i->bytes);
    }
}

static void restore_registers(struct cpu *cpu, struct cpu_view v, const struct frame_item *i,
                              const uint8_t *from)
{
    uint8_t *state = as_in_frame(cpu, v, i);

    if (state)
        memcpy(state, from, (size_t)i->count * i->bytes);
    for (unsigned n = 0; !state && n < i->count; n++, v.index++) {
        uint8_t value[2 * CPU_REGISTER_BYTES] = {0};

        memcpy(value, from + n * i->bytes, i->bytes);
        guest_order(value, i->bytes);
        cpu_register_write(cpu, v, value);
    }
}

static void save_item(const struct transfer *x, struct cpu_view v, const struct frame_item *i,
                      uint8_t *to)
{
    struct cpu *cpu = x->t->cpu;
    struct layout_widths w = guest_widths(x->t);

    switch (i->kind) {
    case FRAME_INFO:
        layout_put_siginfo(w, to, x->frame->info);
        break;
    case FRAME_STACK:
        layout_to_guest(user_layout(OWN_STACK), w, to, &x->frame->alt);
        break;
    case FRAME_MASK:
        guest_put_set(to, x->frame->mask, i->bytes);
        break;
    case FRAME_REGISTER:
        save_registers(cpu, v, i, to);
        break;
    case FRAME_PC:
        put_bytes(to, cpu_pc(cpu), i->bytes);
        break;
    case FRAME_VALUE:
        put_bytes(to,
                  user_abi.isa->user_value ? user_abi.isa->user_value(cpu, (uint32_t)i->value) : 0,
                  i->bytes);
        break;
    case FRAME_FAULT:
        put_bytes(to, x->frame->fault_address, i->bytes);
        break;
    default:
        put_bytes(to, i->value, i->bytes);
        break;
    }
}

static void restore_item(const struct transfer *x, struct cpu_view v, const struct frame_item *i,
                         const uint8_t *from)
{
    struct cpu *cpu = x->t->cpu;

    switch (i->kind) {
    case FRAME_STACK:
        layout_to_host(user_layout(OWN_STACK), guest_widths(x->t), from, x->alt);
        break;
    case FRAME_MASK:
        *x->mask = guest_get_set(from, i->bytes);
        break;
    case FRAME_REGISTER:
        if (!i->saved)
            restore_registers(cpu, v, i, from);
        break;
    case FRAME_PC:
        cpu_set_pc(cpu, get_bytes(from, i->bytes));
        break;
    case FRAME_VALUE:
        if (user_abi.isa->set_user_value)
            user_abi.isa->set_user_value(cpu, (uint32_t)i->value, get_bytes(from, i->bytes));
        break;
    default:
        break;
    }
}

/* ---- records --------------------------------------------------------------------------------- */

enum { HEAD_BYTES = 8, RECORD_ALIGN = 16 };

/* Finds a record in a list; a handler may have moved it. A head of zeros ends the list. */
static const uint8_t *find_record(const uint8_t *list, unsigned list_bytes,
                                  const struct frame_item *record)
{
    unsigned at = 0;

    while (at + HEAD_BYTES <= list_bytes) {
        uint32_t magic = (uint32_t)get_bytes(list + at, 4),
                 size = (uint32_t)get_bytes(list + at + 4, 4);

        if (!magic || size < HEAD_BYTES || size % RECORD_ALIGN || size > list_bytes - at)
            return NULL;
        if (magic == record->value && size == record->bytes)
            return list + at;
        at += size;
    }
    return NULL;
}

/* Whether all records are in the frame, and all values are as frame_item.must requires. */
static bool is_good(const struct user_frames *f, const uint8_t *frame)
{
    const uint8_t *base = frame, *list = frame;
    unsigned list_bytes = 0, inside = 0;

    for (unsigned n = 0; n < f->item_count; n++) {
        const struct frame_item *i = &f->item[n];

        if (i->kind == FRAME_LIST) {
            list = frame + i->at;
            list_bytes = i->bytes;
        } else if (i->kind == FRAME_RECORD) {
            base = find_record(list, list_bytes, i);
            inside = i->count;
            if (!base)
                return false;
        } else {
            if (i->must &&
                (get_bytes((inside ? base : frame) + i->at, i->bytes) & i->must) != i->is)
                return false;
            inside -= inside > 0;
        }
    }
    return true;
}

/* Saves or restores all items. A saved record is appended to its list, a restored one is found. */
static void transfer_items(const struct transfer *x, const struct user_frames *f,
                           const struct cpu_view *views, uint8_t *frame)
{
    uint8_t *base = frame, *list = frame;
    unsigned list_bytes = 0, inside = 0;

    for (unsigned n = 0; n < f->item_count; n++) {
        const struct frame_item *i = &f->item[n];
        uint8_t *at = (inside ? base : frame) + i->at;

        if (i->kind == FRAME_LIST) {
            list = frame + i->at;
            list_bytes = i->bytes;
        } else if (i->kind == FRAME_RECORD) {
            inside = i->count;
            base = list;
            if (!x->frame) {
                base = (uint8_t *)(uintptr_t)find_record(list, list_bytes, i);
                continue;
            }
            put_bytes(base, i->value, 4);
            put_bytes(base + 4, i->bytes, 4);
            list += i->bytes;
        } else {
            if (x->frame)
                save_item(x, views[n], i, at);
            else
                restore_item(x, views[n], i, at);
            inside -= inside > 0;
        }
    }
}

/* ---- the whole frame ------------------------------------------------------------------------- */

static uint64_t value_on_entry(const struct thread *t, const struct user_frame *frame,
                               const struct frame_enter *e, uint64_t at)
{
    switch (e->kind) {
    case ENTER_SIGNAL:
        return number_to_guest(USER_SIGNAL, (uint32_t)frame->signal);
    case ENTER_PLACE:
        return at + e->value;
    case ENTER_RETURN:
        return frame->restorer ? frame->restorer
                               : t->process->sigpage + user_abi.frames[frame->with_info].return_at;
    case ENTER_HANDLER:
        return frame->handler;
    default:
        return e->value;
    }
}

void frame_push(struct thread *t, const struct user_frame *frame, void *to, uint64_t at)
{
    const struct user_frames *f = &user_abi.frames[frame->with_info];
    const struct transfer x = {.t = t, .frame = frame};

    transfer_items(&x, f, found[frame->with_info], to);
    for (unsigned n = 0; n < f->enter_count; n++) {
        const struct frame_enter *e = &f->enter[n];
        uint64_t value[2] = {value_on_entry(t, frame, e, at)};

        if (!e->info_only || frame->with_info)
            cpu_register_write(t->cpu, entered[frame->with_info][n], value);
    }
}

bool frame_pop(struct thread *t, bool with_info, const void *from, uint64_t *mask, stack_t *alt)
{
    const struct user_frames *f = &user_abi.frames[with_info];
    const struct transfer x = {.t = t, .mask = mask, .alt = alt};

    if (!is_good(f, from))
        return false;
    transfer_items(&x, f, found[with_info], (uint8_t *)(uintptr_t)from);
    return true;
}
