/* Runs sequences on the generated CPU and records what a Linux program would see. */

#include "tests/random/simulate.h"

#include "runtime/cpu/choice.h"
#include "runtime/cpu/tier.h"
#include "runtime/jit/jit.h"
#include "runtime/mem/flat.h"
#include "tests/random/arch_cpu.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* More instructions than the longest loop executes. */
enum { BUDGET = MAX_HALVES * MAX_TURNS, MAX_PARTS = 16 };
/*
 * The quick tier runs a sequence QUICK_ROUNDS times: traces are made once the order of blocks is
 * known, and are then linked.
 */
enum { QUICK_ROUNDS = 5, QUICK_THRESHOLD = 3 };

struct simulator {
    struct bus *bus;
    struct cpu *cpu;
    struct cpu_view part[MAX_PARTS]; /* views of arch_cpu.parts */
    uint8_t *memory;                 /* MEMORY_BYTES of guest memory */
    struct reply *reply;             /* reply of the running sequence */
    const struct request *request;
    unsigned rounds;
    bool ended;
    struct reservation flat; /* host addresses of flat memory; empty: memory is not flat */
    uint8_t *flat_base;      /* host address of guest address 0 in it */
};

/* ---- signals --------------------------------------------------------------------------------- */

/* Does what the guest's signal handler does (guest.c). */
static void raise_signal(struct cpu *cpu, int signal)
{
    struct simulator *s = cpu->hooks.opaque;
    struct reply *r = s->reply;
    uint64_t at = cpu->pc - CODE;
    bool inside = at < 2 * s->request->halves && at % ALIGNMENT == 0;

    r->event[r->events].index = inside ? (uint16_t)(at / 2) : NO_INDEX;
    r->event[r->events].signal = (uint16_t)signal;
    r->events++;
    cpu->isa->clear_monitor(cpu);
    if (inside && r->events < MAX_EVENTS) {
        cpu->pc += instruction_bytes(s->request->code[at / 2]);
        if (arch_cpu.skipped)
            arch_cpu.skipped(cpu);
    } else {
        cpu->pc = CODE + STUB;
        if (arch_cpu.begins)
            arch_cpu.begins(cpu);
    }
}

static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    struct simulator *s = cpu->hooks.opaque;
    int signal = arch_cpu.signal_of(klass);

    (void)code;
    if (signal == SIGTRAP && cpu->pc == CODE + STUB) {
        s->ended = true;
        cpu_stop(cpu);
    } else {
        raise_signal(cpu, signal);
    }
}

static void on_undefined(struct cpu *cpu)
{
    raise_signal(cpu, SIGILL);
}

static void on_memory_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    (void)va;
    raise_signal(cpu, code == CPU_FAULT_ALIGNMENT || (access == CPU_FETCH && cpu->pc % ALIGNMENT)
                          ? SIGBUS
                          : SIGSEGV);
}

static uint32_t translate_address(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                                  uint64_t *pa, uint32_t *flags)
{
    uint64_t at = arch_cpu.address ? arch_cpu.address(va) : va;

    (void)cpu, (void)ring;
    *pa = at;
    *flags = TRANSLATE_READ | TRANSLATE_WRITE | TRANSLATE_EXEC | 12 << TRANSLATE_SIZE_SHIFT;
    if (at - CODE_PAGE < CODE_BYTES || (access != CPU_FETCH && at - MEMORY < MEMORY_BYTES))
        return 0;
    return 4; /* translation fault */
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* struct bus.protect: writes to decoded code must fault where they do not go through the bus. */
static void protect_page(void *opaque, uint64_t pa, bool on)
{
    struct simulator *s = opaque;

    mprotect(s->flat_base + (pa & ~UINT64_C(0xfff)), 4096, PROT_READ | (on ? 0 : PROT_WRITE));
}

static bool make_flat(struct simulator *s, struct error *err)
{
    const uint64_t least = CODE_PAGE < MEMORY ? CODE_PAGE : MEMORY;

    if (!reservation_flat(&s->flat, least, &s->flat_base))
        return error_set(err, "the host has no room for flat memory");
    s->bus->protect = protect_page;
    s->bus->protect_opaque = s;
    return true;
}

static bool add_memory(struct simulator *s, const char *name, uint64_t at, uint64_t bytes,
                       struct error *err)
{
    uint8_t *host;

    if (!s->flat.at)
        return bus_add_ram(s->bus, name, at, bytes, err);
    host = s->flat_base + at;
    if (mmap(host, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
        host)
        return error_set(err, "no memory for %s", name);
    return bus_add_host_ram(s->bus, name, at, bytes, host, err);
}

/* ---- life ------------------------------------------------------------------------------------ */

static bool find_registers(struct simulator *s)
{
    for (unsigned n = 0; n < arch_cpu.part_count; n++) {
        if (n < MAX_PARTS && cpu_register_find(arch_cpu.isa, arch_cpu.parts[n].reg, &s->part[n]))
            continue;
        fprintf(stderr, "the description has no register %s\n", arch_cpu.parts[n].reg);
        return false;
    }
    return true;
}

static bool translate_all(struct cpu *cpu, enum simulate_by by, struct error *err)
{
    struct jit_options o = jit_defaults();

    o.sync = true;
    o.tier = by == BY_LLVM ? JIT_TIER_LLVM : JIT_TIER_QUICK;
    o.base = by == BY_BASE;
    o.threshold = 1;
    o.quick_threshold = QUICK_THRESHOLD;
    return jit_new(code_of(cpu), NULL, &o, err) != NULL;
}

struct simulator *simulator_new(enum simulate_by by, bool all, bool flat)
{
    struct simulator *s = calloc(1, sizeof(*s));
    struct error err = {0};
    uint32_t breakpoint = arch_cpu.breakpoint;

    if (!s)
        return NULL;
    s->rounds = by == BY_QUICK_TIER || by == BY_BASE ? QUICK_ROUNDS : 1;
    s->bus = bus_new(NULL);
    if (s->bus && (!flat || make_flat(s, &err)) &&
        add_memory(s, "code", CODE_PAGE, CODE_BYTES, &err) &&
        add_memory(s, "memory", MEMORY, MEMORY_BYTES, &err))
        s->cpu = cpu_new(arch_cpu.isa, 0, s->bus, NULL, NULL, &err);
    if (!s->cpu || !find_registers(s) || (by && !translate_all(s->cpu, by, &err))) {
        fprintf(stderr, "the simulator cannot be made: %s\n", err.text);
        simulator_free(s);
        return NULL;
    }
    if (s->flat.at)
        cpu_set_flat(s->cpu, (uintptr_t)s->flat_base);
    s->memory = bus_ram_ptr(s->bus, MEMORY, MEMORY_BYTES);
    bus_load(s->bus, CODE + STUB, &breakpoint, sizeof(breakpoint));
    s->cpu->hooks = (struct cpu_hooks){
        .opaque = s,
        .exception = on_exception,
        .undefined = on_undefined,
        .memory_fault = on_memory_fault,
        .translate = translate_address,
    };
    if (all)
        cpu_choice_apply(&(struct cpu_choice){.name = CPU_CHOICE_MAX}, s->cpu);
    cpu_reset(s->cpu);
    arch_cpu.enter_user(s->cpu);
    s->cpu->ring = 0;
    cpu_state_changed(s->cpu);
    cpu_set_power(s->cpu, true);
    return s;
}

void simulator_free(struct simulator *s)
{
    if (!s)
        return;
    cpu_free(s->cpu);
    bus_free(s->bus);
    reservation_free(&s->flat);
    free(s);
}

/* ---- state ----------------------------------------------------------------------------------- */

/* Returns the element of the member that contains the part. */
static uint8_t *state_element(const struct state *s, const struct state_part *p, unsigned n)
{
    return (uint8_t *)(uintptr_t)s + p->offset + n * p->bytes;
}

static void load_part(struct simulator *s, unsigned part, const struct state *from)
{
    const struct state_part *p = &arch_cpu.parts[part];
    struct cpu_view view = s->part[part];

    for (unsigned n = 0; n < p->count; n++) {
        uint64_t value[2] = {0};

        memcpy(value, state_element(from, p, n), p->bytes);
        if (p->mask)
            value[0] = value[0] >> p->shift & p->mask;
        view.index = s->part[part].index + n;
        cpu_register_write(s->cpu, view, value);
    }
}

static void save_part(struct simulator *s, unsigned part, struct state *to)
{
    const struct state_part *p = &arch_cpu.parts[part];
    struct cpu_view view = s->part[part];

    for (unsigned n = 0; n < p->count; n++) {
        uint64_t value[2] = {0}, others[2] = {0};

        view.index = s->part[part].index + n;
        cpu_register_read(s->cpu, view, value);
        if (p->mask) {
            memcpy(others, state_element(to, p, n), p->bytes);
            value[0] = others[0] | (value[0] & p->mask) << p->shift;
        }
        memcpy(state_element(to, p, n), value, p->bytes);
    }
}

static void load_state(struct simulator *s, const struct state *state, const uint8_t *memory)
{
    memset(s->reply, 0, sizeof(*s->reply));
    s->ended = false;
    for (unsigned n = 0; n < arch_cpu.part_count; n++)
        load_part(s, n, state);
    memcpy(s->memory, memory, MEMORY_BYTES);
    s->cpu->isa->clear_monitor(s->cpu);
    s->cpu->pc = CODE;
    if (arch_cpu.begins)
        arch_cpu.begins(s->cpu);
}

static void begin_request(struct simulator *s, const struct request *request, struct reply *reply)
{
    s->reply = reply;
    s->request = request;
    bus_load(s->bus, CODE, request->code, sizeof(request->code));
}

static bool save_reply(struct simulator *s, struct reply *reply)
{
    for (unsigned n = 0; n < arch_cpu.part_count; n++)
        save_part(s, n, &reply->state);
    memcpy(reply->memory, s->memory, MEMORY_BYTES);
    return s->ended;
}

static bool run_budget(struct simulator *s, struct reply *reply)
{
    s->reply = reply;
    load_state(s, &s->request->state, s->request->memory);
    cpu_run(s->cpu, BUDGET);
    return save_reply(s, reply);
}

static void run_warm_up(struct simulator *s, const struct warm_up *w)
{
    static struct reply ignored;

    s->reply = &ignored;
    load_state(s, &w->state, w->memory);
    cpu_run(s->cpu, BUDGET);
}

bool simulate(struct simulator *s, const struct request *request, const struct warm_up *warm_up,
              struct outcome *outcome)
{
    bool ended;

    begin_request(s, request, &outcome->first);
    ended = run_budget(s, &outcome->first);
    outcome->last = outcome->first;
    if (s->rounds == 1)
        return ended;
    for (unsigned n = 2; n < s->rounds; n++)
        run_warm_up(s, warm_up);
    return run_budget(s, &outcome->last) && ended;
}

bool simulate_steps(struct simulator *s, const struct request *request, struct reply *reply,
                    unsigned executed[MAX_HALVES])
{
    memset(executed, 0, MAX_HALVES * sizeof(*executed));
    begin_request(s, request, reply);
    load_state(s, &request->state, request->memory);
    for (unsigned n = 0; n < BUDGET && !s->ended; n++) {
        uint64_t index = (s->cpu->pc - CODE) / 2;

        if (index < MAX_HALVES)
            executed[index]++;
        cpu_run(s->cpu, 1);
    }
    return save_reply(s, reply);
}
