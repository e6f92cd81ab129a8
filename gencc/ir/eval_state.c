/*
 * The evaluator's access to the machine: registers in the state, and external functions.
 */
#include "gencc/ir/eval.h"
#include "gencc/ir/pass.h"
#include "gencc/model/model.h"

#include <ffi.h>
#include <string.h>

/* ---- registers ------------------------------------------------------------------------------- */

/* Distance in bytes between the lanes of an access. An access of the view's own type follows the
 * view's elements; any other type reads consecutive bytes. */
static unsigned lane_stride(const struct reg_view *view, struct ir_type t)
{
    bool own = t.lanes == view->type.lanes && t.bits == view->type.bits;

    return own && t.lanes > 1 ? view->elem_stride : t.bits / 8u;
}

static void touch(const struct ir_machine *m, const uint8_t *at, unsigned bytes)
{
    if (m->touched)
        memset(m->touched + (at - m->state), 1, bytes);
}

void ir_state_read(const struct ir_machine *m, const struct reg_view *view, u128 index,
                   struct ir_type t, u128 *lanes)
{
    unsigned stride = lane_stride(view, t);
    const uint8_t *p;

    memset(lanes, 0, t.lanes * sizeof(*lanes));
    if (index >= view->count || !m->state)
        return;
    p = m->state + view->offset + (size_t)index * view->reg_stride;
    for (unsigned i = 0; i < t.lanes; i++) {
        memcpy(&lanes[i], p + (size_t)i * stride, t.bits / 8u);
        touch(m, p + (size_t)i * stride, t.bits / 8u);
    }
}

void ir_state_write(const struct ir_machine *m, const struct reg_view *view, u128 index,
                    struct ir_type t, const u128 *lanes)
{
    unsigned stride = lane_stride(view, t);
    uint8_t *p;

    if (index >= view->count || !m->state)
        return;
    p = m->state + view->offset + (size_t)index * view->reg_stride;
    for (unsigned i = 0; i < t.lanes; i++) {
        memcpy(p + (size_t)i * stride, &lanes[i], t.bits / 8u);
        touch(m, p + (size_t)i * stride, t.bits / 8u);
    }
}

/* ---- external functions ---------------------------------------------------------------------- */

/* The libffi type of `t`; NULL if no scalar type of C corresponds. */
static ffi_type *c_type(struct ir_type t)
{
    if (ir_is_void(t))
        return &ffi_type_void;
    if (t.lanes != 1)
        return NULL;
    if (t.base == IR_FLOAT)
        return t.bits == 32 ? &ffi_type_float : &ffi_type_double;
    switch (t.bits) {
    case 8:
        return t.base == IR_SINT ? &ffi_type_sint8 : &ffi_type_uint8;
    case 16:
        return t.base == IR_SINT ? &ffi_type_sint16 : &ffi_type_uint16;
    case 32:
        return t.base == IR_SINT ? &ffi_type_sint32 : &ffi_type_uint32;
    case 64:
        return t.base == IR_SINT ? &ffi_type_sint64 : &ffi_type_uint64;
    default:
        return NULL;
    }
}

/* Reads a result of libffi, which stores integers as a whole ffi_arg. */
static u128 take_result(struct ir_type t, const void *from)
{
    u128 r = 0;

    memcpy(&r, from, t.bits / 8u);
    return r;
}

bool ir_call_external(void (*address)(void), const struct ir_callee *fn, const u128 *args,
                      u128 *results)
{
    ffi_type *types[IR_MAX_ARGS], *result = c_type(fn->result);
    uint64_t cells[IR_MAX_ARGS], returned[2] = {0};
    void *pointers[IR_MAX_ARGS], *values[IR_MAX_ARGS];
    unsigned n = fn->params.len, output = 0;
    ffi_cif cif;

    if (n > IR_MAX_ARGS || !result)
        return false;
    for (unsigned i = 0; i < n; i++) {
        bool ref = fn->by_ref.data[i];

        types[i] = ref ? &ffi_type_pointer : c_type(fn->params.data[i]);
        if (!c_type(fn->params.data[i]))
            return false;
        cells[i] = (uint64_t)args[i];
        pointers[i] = &cells[i];
        values[i] = ref ? (void *)&pointers[i] : (void *)&cells[i];
    }
    if (ffi_prep_cif(&cif, FFI_DEFAULT_ABI, n, result, types) != FFI_OK)
        return false;
    ffi_call(&cif, address, returned, values);
    results[0] = ir_is_void(fn->result) ? 0 : take_result(fn->result, returned);
    for (unsigned i = 0; i < n; i++)
        if (fn->by_ref.data[i])
            results[++output] = cells[i] & low_bits(fn->params.data[i].bits);
    return true;
}
