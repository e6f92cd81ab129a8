#include "tests/eval_diff/world.h"

#include <dlfcn.h>
#include <string.h>

#include "tests/diff/evaluate.h"

enum { MAX_STEPS = 10000000 };

struct world {
    const struct model *model;
    const uint8_t *code;
    struct situation *s;
    uint64_t next_pc;
    uint32_t features[MAX_FEATURES]; /* as they were decoded with */
};

/* An intrinsic: arguments, result and output as in ir_machine.intrinsic. */
typedef bool intrinsic_fn(struct world *w, const uint64_t *a, const struct ir_data *args,
                          struct ir_data *results);

/* ---- memory ---------------------------------------------------------------------------------- */

static bool fault(struct world *w, uint64_t va, uint32_t access, uint32_t code)
{
    w->s->leaving = TOOK_FAULT;
    w->s->va = va;
    w->s->access = access;
    w->s->code = code;
    return false;
}

/* An interface called User has the rights of ring 0. */
static unsigned ring_of(const struct world *w, uint64_t iface)
{
    return strncmp(w->model->mems.at[iface].name, "User", 4) ? w->s->ring : 0;
}

/* Each page is asked once, the lower one first; a fault is reported at the first byte in its page.
 */
static bool check(struct world *w, uint64_t iface, uint64_t va, unsigned size, enum access access)
{
    for (uint64_t done = 0; done < size; done += 4096 - ((va + done) & 4095)) {
        uint32_t code = access_fault(va + done, access, ring_of(w, iface));

        if (code)
            return fault(w, va + done, access, code);
    }
    return true;
}

static uint8_t byte_at(const struct world *w, uint64_t va)
{
    return va - CODE < CODE_BYTES ? w->code[va - CODE] : w->s->memory[va - MEMORY];
}

static bool read_memory(struct world *w, const uint64_t *a, unsigned size, struct ir_data *results)
{
    if (!check(w, a[0], a[1], size, ACCESS_READ))
        return false;
    results[1].lane[0] = 0;
    for (unsigned i = 0; i < size; i++)
        results[1].lane[0] |= (u128)byte_at(w, a[1] + i) << 8 * i;
    return true;
}

static bool write_memory(struct world *w, const uint64_t *a, unsigned size,
                         const struct ir_data *args)
{
    if (!check(w, a[0], a[1], size, ACCESS_WRITE))
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
#define RESULT(value) results[0].lane[0] = (value)
#define OUTPUT(value) results[1].lane[0] = (value)

DO(nothing, )
DO(flush, s->flushes++)
DO(read_pc, RESULT(s->pc))
DO(write_pc, w->next_pc = a[0])
DO(get_feature, RESULT(w->features[a[0] % MAX_FEATURES]))
DO(set_feature, s->features[a[0] % MAX_FEATURES] = (uint32_t)a[1])
DO(set_ring, s->ring = (uint32_t)a[0])
DO(set_single_step, s->single_step = a[0])
DO(read_irq_lines, RESULT(s->lines))
DO(pend_interrupt, s->pends |= s->lines != 0)
DO(halt_cpu, s->halted |= !s->lines)
DO(send_event, s->event = true)
DO(cpu_number, RESULT(0))
DO(cpu_config, RESULT(config_value((unsigned)a[0] & 7)))
DO(mem_probe_write, return check(w, a[0], a[1], (unsigned)a[2], ACCESS_WRITE))
DO(take_memory_fault, return fault(w, a[0], (uint32_t)a[1], (uint32_t)a[2]))
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

static const struct {
    const char *name;
    intrinsic_fn *fn;
} intrinsics[] = {
#define MEMORY_NAMES(bits)                   \
    {"mem_read_" #bits, mem_read_##bits},    \
    {                                        \
        "mem_write_" #bits, mem_write_##bits \
    }
    MEMORY_NAMES(8),
    MEMORY_NAMES(16),
    MEMORY_NAMES(32),
    MEMORY_NAMES(64),
    MEMORY_NAMES(128),
    {"mem_probe_write", mem_probe_write},
    {"phys_read_32", phys_read_32},
    {"phys_read_64", phys_read_64},
    {"read_pc", read_pc},
    {"write_pc", write_pc},
    {"__builtin_get_feature", get_feature},
    {"__builtin_set_feature", set_feature},
    {"__builtin_set_execution_ring", set_ring},
    {"set_single_step", set_single_step},
    {"read_irq_lines", read_irq_lines},
    {"pend_interrupt", pend_interrupt},
    {"halt_cpu", halt_cpu},
    {"wait_event", wait_event},
    {"send_event", send_event},
    {"yield_cpu", nothing}, /* alone, a CPU does not yield */
    {"synchronise_context", nothing},
    {"cpu_number", cpu_number},
    {"cpu_config", cpu_config},
    {"read_device32", read_device32},
    {"read_device64", read_device64},
    {"write_device32", write_device32},
    {"write_device64", write_device64},
    {"firmware_call", firmware_call},
    {"take_exception", take_exception},
    {"undefined_instruction", undefined_instruction},
    {"trap", undefined_instruction},
    {"take_memory_fault", take_memory_fault},
    {"tlb_flush_all", flush},
    {"tlb_flush_asid", flush},
    {"tlb_flush_va", flush},
    {"mmu_notify_asid_change", flush},
    {"mmu_notify_pgt_change", flush},
};

static bool intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                      const struct ir_data *args, struct ir_data *results)
{
    struct world *w = opaque;
    uint64_t a[4] = {0};

    (void)text;
    for (unsigned i = 0; i < fn->params.count && i < 4; i++)
        a[i] = (uint64_t)args[i].lane[0];
    for (size_t i = 0; i < sizeof(intrinsics) / sizeof(*intrinsics); i++) {
        if (!strcmp(intrinsics[i].name, fn->name))
            return intrinsics[i].fn(w, a, args, results);
    }
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

static void evaluate(struct world *w, const struct form *form, uint32_t word)
{
    struct situation *s = w->s;
    struct ir_machine machine = {
        .opaque = w,
        .state = s->state,
        .max_steps = MAX_STEPS,
        .intrinsic = intrinsic,
        .external = external,
    };
    const char *broke = evaluate_form(&machine, form, word, has_left);

    if (!broke)
        return;
    s->leaving = BROKE_DOWN;
    if (!s->broke)
        s->broke = broke;
}

void world_run(const struct model *m, const struct form *form, uint32_t word, const uint8_t *code,
               struct situation *s)
{
    struct world w = {.model = m, .code = code, .s = s, .next_pc = s->pc + 4};

    memcpy(w.features, s->features, sizeof(w.features));
    if (m->state_bytes > STATE_BYTES) {
        s->leaving = BROKE_DOWN;
        s->broke = "more registers than the test has room for";
        return;
    }
    if (!is_available(form, s))
        s->leaving = WAS_UNDEFINED;
    else
        evaluate(&w, form, word);
    if (s->leaving == WENT_ON)
        s->pc = w.next_pc;
}
