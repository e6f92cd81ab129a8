/* Executes one instruction by the evaluator of the IR, with external helpers of the runtime. */
#include "tests/eval_diff/world.h"

#include <dlfcn.h>
#include <string.h>

#include "gencc/referee/evaluate.h"
#include "tests/eval_diff/subject.h"

enum { MAX_STEPS = 10000000 };

struct world {
    const struct model *model;
    const uint8_t *code;
    struct situation *s;
    uint64_t next_pc;
    bool context_changed;            /* by the behaviour */
    uint32_t features[MAX_FEATURES]; /* features when the instruction was decoded */
};

/* An intrinsic: arguments, result and output as in ir_machine.intrinsic. */
typedef bool intrinsic_fn(struct world *w, const uint64_t *a, const struct ir_data *args,
                          struct ir_data *results);

/* ---- memory ---------------------------------------------------------------------------------- */

static bool take_fault(struct world *w, uint64_t va, uint32_t access, uint32_t code)
{
    w->s->leaving = TOOK_FAULT;
    w->s->va = va;
    w->s->access = access;
    w->s->code = code;
    return false;
}

static unsigned ring_of(const struct world *w, uint64_t iface)
{
    unsigned ring = w->model->mems.data[iface].ring;

    return ring == AST_CURRENT_RING ? w->s->ring : ring;
}

/* Each page is asked once, the lower one first; a fault is reported at the first byte in its page.
 */
static bool check_access(struct world *w, uint64_t iface, uint64_t va, unsigned size,
                         enum access access)
{
    for (uint64_t done = 0; done < size; done += 4096 - ((va + done) & 4095)) {
        uint32_t code = access_fault(va + done, access, ring_of(w, iface));

        if (code)
            return take_fault(w, va + done, access, code);
    }
    return true;
}

static uint8_t byte_at(const struct world *w, uint64_t va)
{
    return va - CODE < CODE_BYTES ? w->code[va - CODE] : w->s->memory[va - MEMORY];
}

static bool read_memory(struct world *w, const uint64_t *a, unsigned size, struct ir_data *results)
{
    if (!check_access(w, a[0], a[1], size, ACCESS_READ))
        return false;
    results[1].lane[0] = 0;
    for (unsigned i = 0; i < size; i++)
        results[1].lane[0] |= (u128)byte_at(w, a[1] + i) << 8 * i;
    return true;
}

static bool write_memory(struct world *w, const uint64_t *a, unsigned size,
                         const struct ir_data *args)
{
    if (!check_access(w, a[0], a[1], size, ACCESS_WRITE))
        return false;
    for (unsigned i = 0; i < size; i++)
        w->s->memory[a[1] + i - MEMORY] = (uint8_t)(args[2].lane[0] >> 8 * i);
    return true;
}

#define MEMORY_ACCESS(bits)                                                                      \
    static bool mem_read_##bits(struct world *w, const uint64_t *a, const struct ir_data *args,  \
                                struct ir_data *results)                                         \
    {                                                                                            \
        (void)args;                                                                              \
        return read_memory(w, a, bits / 8, results);                                             \
    }                                                                                            \
    static bool mem_write_##bits(struct world *w, const uint64_t *a, const struct ir_data *args, \
                                 struct ir_data *results)                                        \
    {                                                                                            \
        (void)results;                                                                           \
        return write_memory(w, a, bits / 8, args);                                               \
    }
MEMORY_ACCESS(8)
MEMORY_ACCESS(16)
MEMORY_ACCESS(32)
MEMORY_ACCESS(64)
MEMORY_ACCESS(128)

/* ---- the others ------------------------------------------------------------------------------ */

#define DO(name, statement)                                                          \
    static bool name(struct world *w, const uint64_t *a, const struct ir_data *args, \
                     struct ir_data *results)                                        \
    {                                                                                \
        struct situation *s = w->s;                                                  \
                                                                                     \
        (void)s, (void)a, (void)args, (void)results;                                 \
        statement;                                                                   \
        return true;                                                                 \
    }
static void set_point(struct point *points, unsigned count, const uint64_t *a, uint64_t first,
                      uint64_t last, bool on)
{
    if (a[0] < count)
        points[a[0]] = on ? (struct point){1, first, last} : (struct point){0};
}

#define RESULT(value) results[0].lane[0] = (value)
#define OUTPUT(value) results[1].lane[0] = (value)

DO(nothing, )
DO(flush, s->flushes++)
DO(set_address_space, (s->tables = a[0], s->space = a[1]))
DO(read_pc, RESULT(s->pc))
DO(write_pc, w->next_pc = a[0])
DO(get_feature, RESULT(w->features[a[0] % MAX_FEATURES]))
DO(set_feature, s->features[a[0] % MAX_FEATURES] = (uint32_t)a[1])
DO(set_ring, s->ring = (uint32_t)a[0])
DO(set_mode, s->mode = (uint32_t)a[0])
DO(get_mode, RESULT(subject.mode))
DO(context_changed, w->context_changed = true)
DO(set_single_step, s->single_step = a[0])
DO(set_breakpoint, set_point(s->breakpoint, BREAKPOINTS, a, a[1] & 4095, 0, a[2]))
DO(set_watchpoint, set_point(s->watchpoint, WATCHPOINTS, a, a[1], a[2], a[3]))
DO(read_irq_lines, RESULT(s->lines))
DO(pend_interrupt, s->pends |= s->lines != 0)
DO(halt_cpu, s->halted |= !s->lines)
DO(send_event, s->event = true)
DO(cpu_number, RESULT(0))
DO(instruction_count, RESULT(0))
DO(cpu_config, RESULT(config_value((unsigned)a[0] & 7)))
DO(mem_probe_write, return check_access(w, a[0], a[1], (unsigned)a[2], ACCESS_WRITE))
DO(take_memory_fault, return take_fault(w, a[0], (uint32_t)a[1], (uint32_t)a[2]))
DO(write_device32, add_effect(s, 'w', (uint32_t)a[0], (uint32_t)a[1], (uint32_t)a[2]))
DO(write_device64, add_effect(s, 'w', (uint32_t)a[0], (uint32_t)a[1], a[2]))
DO(wait_event, if (s->event) s->event = false; else s->waits = true)
DO(read_device32, add_effect(s, 'r', (uint32_t)a[0], (uint32_t)a[1], 0);
   OUTPUT((uint32_t)device_value((unsigned)a[0], (uint32_t)a[1])))
DO(read_device64, add_effect(s, 'r', (uint32_t)a[0], (uint32_t)a[1], 0);
   OUTPUT(device_value((unsigned)a[0], (uint32_t)a[1])))
DO(firmware_call, add_effect(s, 'f', (uint32_t)a[0], (uint32_t)a[1], 0);
   RESULT(firmware_serves((uint32_t)a[0], (uint32_t)a[1])))
DO(take_exception, s->leaving = TOOK_EXCEPTION; s->klass = (uint32_t)a[0]; s->code = a[1];
   return false)
DO(undefined_instruction, s->leaving = WAS_UNDEFINED; return false)

/* Memory that is there, whole; else 0. */
static bool phys_read(struct world *w, uint64_t pa, unsigned size, struct ir_data *results)
{
    bool there = (pa - CODE < CODE_BYTES && pa - CODE + size <= CODE_BYTES) ||
                 (pa - MEMORY < MEMORY_BYTES && pa - MEMORY + size <= MEMORY_BYTES);

    results[0].lane[0] = there;
    results[1].lane[0] = 0;
    for (unsigned i = 0; there && i < size; i++)
        results[1].lane[0] |= (u128)byte_at(w, pa + i) << 8 * i;
    return true;
}
DO(phys_read_32, return phys_read(w, a[0], 4, results))
DO(phys_read_64, return phys_read(w, a[0], 8, results))
DO(phys_write_64, bool there = a[0] - MEMORY <= MEMORY_BYTES - 8;
   if (there) memcpy(s->memory + (a[0] - MEMORY), &a[1], 8); RESULT(there))

static intrinsic_fn *const intrinsics[IR_I_COUNT] = {
#define MEMORY_NAMES(bits) \
    [IR_I_MEM_READ_##bits] = mem_read_##bits, [IR_I_MEM_WRITE_##bits] = mem_write_##bits
    MEMORY_NAMES(8),
    MEMORY_NAMES(16),
    MEMORY_NAMES(32),
    MEMORY_NAMES(64),
    MEMORY_NAMES(128),
    [IR_I_MEM_PROBE_WRITE] = mem_probe_write,
    [IR_I_PHYS_READ_32] = phys_read_32,
    [IR_I_PHYS_READ_64] = phys_read_64,
    [IR_I_PHYS_WRITE_64] = phys_write_64,
    [IR_I_READ_PC] = read_pc,
    [IR_I_WRITE_PC] = write_pc,
    [IR_I_GET_FEATURE] = get_feature,
    [IR_I_SET_FEATURE] = set_feature,
    [IR_I_SET_EXECUTION_RING] = set_ring,
    [IR_I_SET_CPU_MODE] = set_mode,
    [IR_I_GET_CPU_MODE] = get_mode,
    [IR_I_CONTEXT_CHANGED] = context_changed,
    [IR_I_SET_BREAKPOINT] = set_breakpoint,
    [IR_I_SET_SINGLE_STEP] = set_single_step,
    [IR_I_SET_WATCHPOINT] = set_watchpoint,
    [IR_I_READ_IRQ_LINES] = read_irq_lines,
    [IR_I_PEND_INTERRUPT] = pend_interrupt,
    [IR_I_HALT_CPU] = halt_cpu,
    [IR_I_WAIT_EVENT] = wait_event,
    [IR_I_SEND_EVENT] = send_event,
    [IR_I_YIELD_CPU] = nothing, /* alone, a CPU does not yield */
    [IR_I_SYNCHRONISE_CONTEXT] = nothing,
    [IR_I_CPU_NUMBER] = cpu_number,
    [IR_I_INSTRUCTION_COUNT] = instruction_count,
    [IR_I_CPU_CONFIG] = cpu_config,
    [IR_I_READ_DEVICE32] = read_device32,
    [IR_I_READ_DEVICE64] = read_device64,
    [IR_I_WRITE_DEVICE32] = write_device32,
    [IR_I_WRITE_DEVICE64] = write_device64,
    [IR_I_FIRMWARE_CALL] = firmware_call,
    [IR_I_TAKE_EXCEPTION] = take_exception,
    [IR_I_UNDEFINED_INSTRUCTION] = undefined_instruction,
    [IR_I_TRAP] = undefined_instruction,
    [IR_I_TAKE_MEMORY_FAULT] = take_memory_fault,
    [IR_I_TLB_FLUSH_ALL] = flush,
    [IR_I_TLB_FLUSH_ASID] = flush,
    [IR_I_TLB_FLUSH_VA] = flush,
    [IR_I_JIT_INVALIDATE_TXLN] = nothing,
    [IR_I_MMU_NOTIFY_ASID_CHANGE] = flush,
    [IR_I_MMU_NOTIFY_PGT_CHANGE] = flush,
    [IR_I_MMU_SET_ADDRESS_SPACE] = set_address_space,
};

static bool call_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                           const struct ir_data *args, struct ir_data *results)
{
    struct world *w = opaque;
    uint64_t a[4] = {0};

    (void)text;
    for (unsigned i = 0; i < fn->params.len && i < 4; i++)
        a[i] = (uint64_t)args[i].lane[0];
    if (intrinsics[fn->intrinsic])
        return intrinsics[fn->intrinsic](w, a, args, results);
    w->s->leaving = BROKE_DOWN;
    w->s->broke = fn->name;
    return false;
}

static void (*external(void *opaque, const char *name))(void)
{
    void (*f)(void);
    void *address = dlsym(RTLD_DEFAULT, name);

    (void)opaque;
    memcpy(&f, &address, sizeof(f));
    return f;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool is_available(const struct form *form, const struct situation *s)
{
    vec_for_each (&form->instr->features, f) {
        if (!s->features[(*f)->index])
            return false;
    }
    return true;
}

static bool has_left(void *opaque)
{
    const struct world *w = opaque;

    return w->s->leaving != WENT_ON;
}

static void evaluate_in_world(struct world *w, const struct form *form, uint64_t word)
{
    struct situation *s = w->s;
    struct ir_machine machine = {
        .opaque = w,
        .state = s->state,
        .max_steps = MAX_STEPS,
        .intrinsic = call_intrinsic,
        .external = external,
    };
    const char *broke = evaluate_form(&machine, form, word, has_left);

    if (!broke)
        return;
    s->leaving = BROKE_DOWN;
    if (!s->broke)
        s->broke = broke;
}

/* The context of what follows, where the instruction itself has written none. */
static void carry_context(const struct world *w, const struct reg_view *slot, unsigned next)
{
    if (slot && !w->context_changed)
        w->s->state[slot->offset] = (uint8_t)next;
}

void world_run(const struct isa *isa, const struct form *form, uint64_t word, unsigned next,
               const uint8_t *code, struct situation *s)
{
    const struct model *m = isa->model;
    uint64_t next_pc = s->pc + form->instr->format->width / 8;
    struct world w = {.model = m, .code = code, .s = s, .next_pc = next_pc};

    memcpy(w.features, s->features, sizeof(w.features));
    if (m->state_bytes > STATE_BYTES) {
        s->leaving = BROKE_DOWN;
        s->broke = "more registers than the test has room for";
        return;
    }
    if (!is_available(form, s))
        s->leaving = WAS_UNDEFINED;
    else
        evaluate_in_world(&w, form, word);
    if (s->leaving == WENT_ON) {
        s->pc = w.next_pc;
        carry_context(&w, isa->context.slot, next);
    }
}
