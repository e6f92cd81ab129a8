#include "tests/a64_random/simulate.h"

#include "runtime/cpu/tier.h"
#include "runtime/jit/jit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct cpu_isa a64_isa;

enum { BUDGET = 10000, BRK = 0xd4200000, EC_BRK = 0x3c, EC_SYSREG = 0x18, EC_PC_ALIGN = 0x22 };
/* For the quick tier a sequence runs so many times, each from its state: traces are made when it is
 * known how blocks follow each other, and are then connected. */
enum { QUICK_ROUNDS = 5, QUICK_THRESHOLD = 3 };

struct simulator {
    struct bus *bus;
    struct cpu *cpu;
    struct cpu_view x, v, sp, n, z, c, o, fpcr, fpsr;
    uint8_t *memory;     /* MEMORY_BYTES of guest memory */
    struct reply *reply; /* of the running sequence */
    uint32_t words;
    unsigned rounds;
    bool ended;
};

/* ---- signals --------------------------------------------------------------------------------- */

/* What the guest's signal handler does (guest.c). */
static void raise_signal(struct cpu *cpu, int signal)
{
    struct simulator *s = cpu->hooks.opaque;
    struct reply *r = s->reply;
    bool inside = cpu->pc >= CODE && cpu->pc < CODE + 4 * s->words && !(cpu->pc & 3);

    r->event[r->events].index = inside ? (uint16_t)((cpu->pc - CODE) / 4) : NO_INDEX;
    r->event[r->events].signal = (uint16_t)signal;
    r->events++;
    cpu->isa->clear_monitor(cpu);
    cpu->pc = inside && r->events < MAX_EVENTS ? cpu->pc + 4 : CODE + STUB;
}

/* As Linux sees the exception classes. */
static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    struct simulator *s = cpu->hooks.opaque;

    (void)code;
    if (klass == EC_BRK && cpu->pc == CODE + STUB) {
        s->ended = true;
        cpu_stop(cpu);
    } else {
        raise_signal(cpu, klass == EC_BRK        ? SIGTRAP
                          : klass == EC_PC_ALIGN ? SIGBUS
                          : klass == EC_SYSREG   ? SIGILL
                                                 : 0);
    }
}

static void on_undefined(struct cpu *cpu)
{
    raise_signal(cpu, SIGILL);
}

static void on_memory_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    (void)va;
    raise_signal(cpu, code == CPU_FAULT_ALIGNMENT || (access == CPU_FETCH && (cpu->pc & 3))
                          ? SIGBUS
                          : SIGSEGV);
}

/* Flat, with the top byte of addresses ignored, as Linux has it. */
static uint32_t translate(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                          uint64_t *pa, uint32_t *flags)
{
    uint64_t at = (uint64_t)((int64_t)(va << 8) >> 8);

    (void)cpu, (void)ring;
    *pa = at;
    *flags = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC | 12 << TRANSLATE_SIZE_SHIFT;
    if (at - CODE < CODE_BYTES || (access != CPU_FETCH && at - MEMORY < MEMORY_BYTES))
        return 0;
    return 4; /* a translation fault */
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool find_registers(struct simulator *s)
{
    const struct cpu_isa *isa = &a64_isa;

    return cpu_register_find(isa, "X0", &s->x) && cpu_register_find(isa, "V0", &s->v) &&
           cpu_register_find(isa, "SP", &s->sp) && cpu_register_find(isa, "NF", &s->n) &&
           cpu_register_find(isa, "ZF", &s->z) && cpu_register_find(isa, "CF", &s->c) &&
           cpu_register_find(isa, "VF", &s->o) && cpu_register_find(isa, "FPCR", &s->fpcr) &&
           cpu_register_find(isa, "FPSR", &s->fpsr);
}

/* What Linux lets EL0 do: FP and SIMD (CPACR_EL1.FPEN); cache maintenance, CTR_EL0 and DC ZVA
 * (SCTLR_EL1.UCI, UCT, DZE). */
static void enter_user(struct cpu *cpu)
{
    cpu_reset(cpu);
    cpu_register_set(cpu, "CPACR_EL1", 3 << 20);
    cpu_register_set(cpu, "SCTLR_EL1", 1 << 26 | 1 << 15 | 1 << 14);
    cpu_register_set(cpu, "EL", 0);
    cpu_register_set(cpu, "SPSEL", 0);
    cpu->ring = 0;
    cpu_state_changed(cpu);
    cpu_set_power(cpu, true);
}

static bool translate_all(struct cpu *cpu, enum jit_tier tier, struct error *err)
{
    struct jit_options o = jit_defaults();

    o.sync = true;
    o.tier = tier;
    o.threshold = 1;
    o.quick_threshold = QUICK_THRESHOLD;
    return jit_new(code_of(cpu), NULL, &o, err) != NULL;
}

struct simulator *simulator_new(enum simulate_by by)
{
    struct simulator *s = calloc(1, sizeof(*s));
    struct error err = {0};
    uint32_t brk = BRK;

    if (!s)
        return NULL;
    s->rounds = by == BY_QUICK_TIER ? QUICK_ROUNDS : 1;
    s->bus = bus_new(NULL);
    if (s->bus && bus_add_ram(s->bus, "code", CODE, CODE_BYTES, &err) &&
        bus_add_ram(s->bus, "memory", MEMORY, MEMORY_BYTES, &err))
        s->cpu = cpu_new(&a64_isa, 0, s->bus, NULL, NULL, &err);
    if (!s->cpu || !find_registers(s) ||
        (by && !translate_all(s->cpu, by == BY_LLVM ? JIT_TIER_LLVM : JIT_TIER_QUICK, &err))) {
        fprintf(stderr, "the simulator cannot be made: %s\n", err.text);
        simulator_free(s);
        return NULL;
    }
    s->memory = bus_ram_ptr(s->bus, MEMORY, MEMORY_BYTES);
    bus_load(s->bus, CODE + STUB, &brk, sizeof(brk));
    s->cpu->hooks = (struct cpu_hooks){
        .opaque = s,
        .exception = on_exception,
        .undefined = on_undefined,
        .memory_fault = on_memory_fault,
        .translate = translate,
    };
    enter_user(s->cpu);
    return s;
}

void simulator_free(struct simulator *s)
{
    if (!s)
        return;
    cpu_free(s->cpu);
    bus_free(s->bus);
    free(s);
}

/* ---- state ----------------------------------------------------------------------------------- */

static void set(struct simulator *s, struct cpu_view view, unsigned index, const void *value)
{
    view.index = index;
    cpu_register_write(s->cpu, view, value);
}

static uint64_t get(struct simulator *s, struct cpu_view view, unsigned index)
{
    uint64_t value[2] = {0};

    view.index = index;
    cpu_register_read(s->cpu, view, value);
    return value[0];
}

static void set_flag(struct simulator *s, struct cpu_view view, uint64_t value)
{
    uint8_t bit = value & 1;

    set(s, view, 0, &bit);
}

static void load_state(struct simulator *s, const struct request *r)
{
    const struct state *from = &r->state;

    for (unsigned i = 0; i < 31; i++)
        set(s, s->x, i, &from->x[i]);
    for (unsigned i = 0; i < 32; i++)
        set(s, s->v, i, from->v[i]);
    set(s, s->sp, 0, &from->sp);
    set_flag(s, s->n, from->nzcv >> 31);
    set_flag(s, s->z, from->nzcv >> 30);
    set_flag(s, s->c, from->nzcv >> 29);
    set_flag(s, s->o, from->nzcv >> 28);
    set(s, s->fpcr, 0, &from->fpcr);
    set(s, s->fpsr, 0, &from->fpsr);
    memcpy(s->memory, r->memory, MEMORY_BYTES);
    s->cpu->isa->clear_monitor(s->cpu);
    s->cpu->pc = CODE;
}

static void save_state(struct simulator *s, struct state *to)
{
    for (unsigned i = 0; i < 31; i++)
        to->x[i] = get(s, s->x, i);
    for (unsigned i = 0; i < 32; i++) {
        s->v.index = i;
        cpu_register_read(s->cpu, s->v, to->v[i]);
    }
    to->sp = get(s, s->sp, 0);
    to->nzcv = get(s, s->n, 0) << 31 | get(s, s->z, 0) << 30 | get(s, s->c, 0) << 29 |
               get(s, s->o, 0) << 28;
    to->fpcr = get(s, s->fpcr, 0);
    to->fpsr = get(s, s->fpsr, 0);
    to->unused = 0;
}

static void begin(struct simulator *s, const struct request *request, struct reply *reply)
{
    s->reply = reply;
    s->words = request->words;
    bus_load(s->bus, CODE, request->code, sizeof(request->code));
}

static void load(struct simulator *s, const struct request *request)
{
    memset(s->reply, 0, sizeof(*s->reply));
    s->ended = false;
    load_state(s, request);
}

static bool finish(struct simulator *s, struct reply *reply)
{
    save_state(s, &reply->state);
    memcpy(reply->memory, s->memory, MEMORY_BYTES);
    return s->ended;
}

bool simulate(struct simulator *s, const struct request *request, struct reply *reply)
{
    begin(s, request, reply);
    for (unsigned n = 0; n < s->rounds; n++) {
        load(s, request);
        cpu_run(s->cpu, BUDGET);
    }
    return finish(s, reply);
}

bool simulate_steps(struct simulator *s, const struct request *request, struct reply *reply,
                    unsigned executed[MAX_WORDS])
{
    memset(executed, 0, MAX_WORDS * sizeof(*executed));
    begin(s, request, reply);
    load(s, request);
    for (unsigned n = 0; n < BUDGET && !s->ended; n++) {
        uint64_t index = (s->cpu->pc - CODE) / 4;

        if (index < MAX_WORDS)
            executed[index]++;
        cpu_run(s->cpu, 1);
    }
    return finish(s, reply);
}
