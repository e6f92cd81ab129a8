/*
 * Intrinsics on a machine of the tests: a page of memory, no devices, no interrupts.
 */
#include "gencc/test/intrinsics.h"

#include <dlfcn.h>
#include <string.h>

typedef bool intrinsic_fn(struct machine *m, const uint64_t *a, const struct ir_data *args,
                          struct ir_data *results);

static bool leave(struct machine *m, enum leaving how, uint32_t number)
{
    m->w.leaving = how;
    m->w.number = number;
    return false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The address that an access uses: without the top byte, if the ABI's addresses have tags. */
static uint64_t untagged(const struct machine *m, uint64_t va)
{
    return m->facts && m->facts->tagged ? (uint64_t)((int64_t)(va << 8) >> 8) : va;
}

static bool is_mapped(const struct machine *m, uint64_t va, unsigned size)
{
    uint64_t at = va - m->memory_at;

    return at < PAGE_BYTES && size <= PAGE_BYTES - at;
}

static bool is_code(const struct machine *m, uint64_t va, unsigned size)
{
    uint64_t at = va - m->code_at;

    return at < PAGE_BYTES && size <= PAGE_BYTES - at;
}

/* Whether the other side may have memory there: its own, or what systems map at round addresses. */
static bool may_be_mapped(const struct machine *m, uint64_t va, unsigned size)
{
    uint64_t round = (va + 0x8000) & ~UINT64_C(0xffff);

    return va + size - m->other_at < m->other_bytes + size || (round & (round - 1)) == 0;
}

static bool check(struct machine *m, uint64_t va, unsigned size, bool writes)
{
    if (is_mapped(m, va, size) || (!writes && is_code(m, va, size)))
        return true;
    m->w.va = va;
    return leave(m, may_be_mapped(m, va, size) ? STRAYED : MISSED, 0);
}

static bool read_memory(struct machine *m, uint64_t va, unsigned size, struct ir_data *results)
{
    uint64_t at = untagged(m, va);
    u128 value = 0;

    if (!check(m, at, size, false))
        return false;
    memcpy(&value,
           is_mapped(m, at, size) ? m->w.memory + (at - m->memory_at) : m->code + (at - m->code_at),
           size);
    results[1].lane[0] = value;
    return true;
}

static bool write_memory(struct machine *m, uint64_t va, unsigned size, const struct ir_data *args)
{
    uint64_t at = untagged(m, va);

    if (!check(m, at, size, true))
        return false;
    memcpy(m->w.memory + (at - m->memory_at), &args[2].lane[0], size);
    return true;
}

#define MEMORY_ACCESS(bits)                                                                        \
    static bool mem_read_##bits(struct machine *m, const uint64_t *a, const struct ir_data *args,  \
                                struct ir_data *results)                                           \
    {                                                                                              \
        (void)args;                                                                                \
        return read_memory(m, a[1], bits / 8, results);                                            \
    }                                                                                              \
    static bool mem_write_##bits(struct machine *m, const uint64_t *a, const struct ir_data *args, \
                                 struct ir_data *results)                                          \
    {                                                                                              \
        (void)results;                                                                             \
        return write_memory(m, a[1], bits / 8, args);                                              \
    }
MEMORY_ACCESS(8)
MEMORY_ACCESS(16)
MEMORY_ACCESS(32)
MEMORY_ACCESS(64)
MEMORY_ACCESS(128)

/* ---- the others ------------------------------------------------------------------------------ */

#define DO(name, statement)                                                            \
    static bool name(struct machine *m, const uint64_t *a, const struct ir_data *args, \
                     struct ir_data *results)                                          \
    {                                                                                  \
        (void)m, (void)a, (void)args, (void)results;                                   \
        statement;                                                                     \
        return true;                                                                   \
    }
#define RESULT(value) results[0].lane[0] = (value)

DO(nothing, )
DO(read_pc, RESULT(m->w.pc))
DO(write_pc, m->next_pc = a[0]; m->wrote_pc = true)
DO(get_feature, RESULT(m->w.features[a[0] % MAX_FEATURES]))
DO(set_feature, m->w.features[a[0] % MAX_FEATURES] = (uint32_t)a[1])
DO(set_ring, m->w.ring = (uint32_t)a[0])
DO(set_mode, m->w.mode = (unsigned)a[0] % MAX_MODES)
DO(get_mode, RESULT(m->w.mode))
DO(context_changed, m->changed_context = true)
DO(zero, RESULT(0))
DO(cpu_config, RESULT(m->facts &&a[0] < m->facts->config.len ? m->facts->config.data[a[0]] : 0))
DO(send_event, m->w.event = true)
DO(mem_probe_write, return check(m, untagged(m, a[1]), (unsigned)a[2], true))
DO(take_memory_fault, m->w.va = a[0]; return leave(m, TOOK_FAULT, (uint32_t)a[2]))
DO(take_exception, return leave(m, TOOK_EXCEPTION, (uint32_t)a[0]))
DO(undefined_instruction, return leave(m, WAS_UNDEFINED, 0))

static intrinsic_fn *const intrinsics[IR_I_COUNT] = {
#define MEMORY_NAMES(bits) \
    [IR_I_MEM_READ_##bits] = mem_read_##bits, [IR_I_MEM_WRITE_##bits] = mem_write_##bits
    MEMORY_NAMES(8),
    MEMORY_NAMES(16),
    MEMORY_NAMES(32),
    MEMORY_NAMES(64),
    MEMORY_NAMES(128),
    [IR_I_MEM_PROBE_WRITE] = mem_probe_write,
    [IR_I_READ_PC] = read_pc,
    [IR_I_WRITE_PC] = write_pc,
    [IR_I_GET_FEATURE] = get_feature,
    [IR_I_SET_FEATURE] = set_feature,
    [IR_I_SET_EXECUTION_RING] = set_ring,
    [IR_I_SET_CPU_MODE] = set_mode,
    [IR_I_GET_CPU_MODE] = get_mode,
    [IR_I_CONTEXT_CHANGED] = context_changed,
    [IR_I_READ_IRQ_LINES] = zero,
    [IR_I_PEND_INTERRUPT] = nothing,
    [IR_I_SEND_EVENT] = send_event,
    [IR_I_YIELD_CPU] = nothing,
    [IR_I_SYNCHRONISE_CONTEXT] = nothing,
    [IR_I_CPU_NUMBER] = zero,
    [IR_I_TRANSLATED] = zero,
    [IR_I_HOST_TRAPS] = zero,
    [IR_I_TRAP_INEXACT] = nothing,
    [IR_I_TRAP_NANS] = nothing,
    [IR_I_CPU_CONFIG] = cpu_config,
    [IR_I_TAKE_EXCEPTION] = take_exception,
    [IR_I_UNDEFINED_INSTRUCTION] = undefined_instruction,
    [IR_I_TRAP] = undefined_instruction,
    [IR_I_TAKE_MEMORY_FAULT] = take_memory_fault,
    [IR_I_TLB_FLUSH_ALL] = nothing,
    [IR_I_TLB_FLUSH_ASID] = nothing,
    [IR_I_TLB_FLUSH_VA] = nothing,
    [IR_I_JIT_INVALIDATE_TXLN] = nothing,
    [IR_I_MMU_NOTIFY_ASID_CHANGE] = nothing,
    [IR_I_MMU_NOTIFY_PGT_CHANGE] = nothing,
    [IR_I_MMU_SET_ADDRESS_SPACE] = nothing,
};

bool machine_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                       const struct ir_data *args, struct ir_data *results)
{
    struct machine *m = opaque;
    uint64_t a[4] = {0};

    (void)text;
    for (unsigned i = 0; i < fn->params.len && i < 4; i++)
        a[i] = (uint64_t)args[i].lane[0];
    if (intrinsics[fn->intrinsic])
        return intrinsics[fn->intrinsic](m, a, args, results);
    m->w.broke = fn->name;
    return leave(m, UNSUPPORTED, 0);
}

void (*machine_external(void *opaque, const char *name))(void)
{
    void (*f)(void);
    void *address = dlsym(RTLD_DEFAULT, name);

    (void)opaque;
    memcpy(&f, &address, sizeof(f));
    return f;
}
