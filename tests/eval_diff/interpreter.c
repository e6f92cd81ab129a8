/* Executes one instruction by the generated interpreter, in memory and devices of the test. */
#include "tests/eval_diff/interpreter.h"

#include "runtime/cpu/exec.h"
#include "tests/eval_diff/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 8 };

struct port {
    struct interpreter *n;
    unsigned device;
};

struct interpreter {
    struct bus *bus;
    struct cpu *cpu;
    uint8_t *code, *memory; /* guest memory */
    struct port ports[DEVICES];
    struct situation *s; /* situation of the running instruction */
    struct insn *insn;   /* room for a decoded instruction */
};

/* ---- surroundings ---------------------------------------------------------------------------- */

static void on_exception(struct cpu *cpu, uint32_t klass, uint64_t code)
{
    struct interpreter *n = cpu->hooks.opaque;

    n->s->leaving = TOOK_EXCEPTION;
    n->s->klass = klass;
    n->s->code = code;
}

static void on_undefined(struct cpu *cpu)
{
    struct interpreter *n = cpu->hooks.opaque;

    n->s->leaving = WAS_UNDEFINED;
}

static void on_memory_fault(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code)
{
    struct interpreter *n = cpu->hooks.opaque;

    n->s->leaving = TOOK_FAULT;
    n->s->va = va;
    n->s->access = access;
    n->s->code = code;
}

static bool on_firmware(struct cpu *cpu, uint32_t conduit, uint32_t imm)
{
    struct interpreter *n = cpu->hooks.opaque;

    add_effect(n->s, 'f', conduit, imm, 0);
    return firmware_serves(conduit, imm);
}

static uint32_t translate_address(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t ring,
                                  uint64_t *pa, uint32_t *flags)
{
    (void)cpu;
    *pa = va;
    *flags = 12 << TRANSLATE_SIZE_SHIFT;
    *flags |= access_fault(va, ACCESS_READ, ring) ? 0 : TRANSLATE_READ;
    *flags |= access_fault(va, ACCESS_WRITE, ring) ? 0 : TRANSLATE_WRITE;
    *flags |= access_fault(va, ACCESS_FETCH, ring) ? 0 : TRANSLATE_EXEC;
    return access_fault(va, (enum access)access, ring);
}

static uint64_t device_read(void *opaque, unsigned cpu, uint32_t reg)
{
    struct port *p = opaque;

    (void)cpu;
    add_effect(p->n->s, 'r', p->device, reg, 0);
    return device_value(p->device, reg);
}

static void device_write(void *opaque, unsigned cpu, uint32_t reg, uint64_t value)
{
    struct port *p = opaque;

    (void)cpu;
    add_effect(p->n->s, 'w', p->device, reg, value);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void connect_cpu(struct interpreter *n)
{
    n->code = bus_ram_ptr(n->bus, CODE, CODE_BYTES);
    n->memory = bus_ram_ptr(n->bus, MEMORY, MEMORY_BYTES);
    n->cpu->hooks = (struct cpu_hooks){
        .opaque = n,
        .exception = on_exception,
        .undefined = on_undefined,
        .memory_fault = on_memory_fault,
        .translate = translate_address,
        .firmware = on_firmware,
    };
    for (unsigned i = 0; i < DEVICES; i++) {
        n->ports[i] = (struct port){n, i};
        n->cpu->devices[i] = (struct cpu_device){&n->ports[i], device_read, device_write};
        n->cpu->config[i] = config_value(i);
    }
    cpu_set_power(n->cpu, true);
}

struct interpreter *interpreter_new(void)
{
    struct interpreter *n = calloc(1, sizeof(*n));
    struct error err = {0};

    if (!n)
        return NULL;
    n->insn = calloc(1, cpu_insn_bytes(subject.cpu));
    n->bus = bus_new(NULL);
    if (n->insn && n->bus && subject.cpu->state_bytes <= STATE_BYTES &&
        bus_add_ram(n->bus, "code", CODE, CODE_BYTES, &err) &&
        bus_add_ram(n->bus, "memory", MEMORY, MEMORY_BYTES, &err))
        n->cpu = cpu_new(subject.cpu, 0, n->bus, NULL, NULL, &err);
    if (!n->cpu) {
        fprintf(stderr, "the interpreter cannot be made: %s\n", err.text);
        interpreter_free(n);
        return NULL;
    }
    connect_cpu(n);
    return n;
}

void interpreter_free(struct interpreter *n)
{
    if (!n)
        return;
    cpu_free(n->cpu);
    bus_free(n->bus);
    free(n->insn);
    free(n);
}

const uint8_t *interpreter_code(const struct interpreter *n)
{
    return n->code;
}

struct cpu *interpreter_cpu(struct interpreter *n)
{
    return n->cpu;
}

/* ---- running --------------------------------------------------------------------------------- */

static void load_situation(struct interpreter *n, const struct code_bytes *code,
                           const struct situation *s)
{
    struct cpu *cpu = n->cpu;

    memcpy(cpu->state, s->state, subject.cpu->state_bytes);
    memcpy(n->memory, s->memory, MEMORY_BYTES);
    if (memcmp(n->code + (s->pc - CODE), code->byte, code->count) != 0)
        bus_load(n->bus, s->pc, code->byte, code->count); /* else what is known of it stays */
    memcpy(cpu->features, s->features, subject.cpu->feature_count * sizeof(*s->features));
    cpu->pc = s->pc;
    cpu->ring = s->ring;
    cpu->mode = s->mode;
    cpu->lines = s->lines;
    cpu->event = s->event;
    cpu->halted = cpu->single_step = false;
    cpu->points = (struct cpu_points){0};
    cpu_state_changed(cpu);
    cpu->attention = CPU_ATT_KEY; /* the lines are not looked at before the instruction */
    cpu->counters.tlb_flushes = 0;
    cpu_set_address_space(cpu, s->tables, s->space);
    cpu->ticks = cpu->over = 0;
}

_Static_assert((unsigned)BREAKPOINTS == CPU_BREAKPOINTS && (unsigned)WATCHPOINTS == CPU_WATCHPOINTS,
               "as the runtime has them");

static void save_points(const struct cpu_points *p, struct situation *s)
{
    for (unsigned n = 0; n < BREAKPOINTS; n++) {
        if (p->breaks >> n & 1)
            s->breakpoint[n] = (struct point){1, p->break_at[n], 0};
    }
    for (unsigned n = 0; n < WATCHPOINTS; n++) {
        if (p->watches >> n & 1)
            s->watchpoint[n] = (struct point){1, p->watch[n].first, p->watch[n].last};
    }
}

static void save_situation(struct interpreter *n, struct situation *s)
{
    struct cpu *cpu = n->cpu;

    memcpy(s->state, cpu->state, subject.cpu->state_bytes);
    memcpy(s->memory, n->memory, MEMORY_BYTES);
    memcpy(s->features, cpu->features, subject.cpu->feature_count * sizeof(*s->features));
    s->pc = cpu->pc;
    s->ring = cpu->ring;
    s->mode = cpu->mode;
    s->event = cpu->event;
    s->halted = cpu->halted;
    s->waits = cpu->attention & CPU_ATT_EVENT;
    s->pends = cpu->attention & CPU_ATT_IRQ;
    s->single_step = cpu->single_step;
    s->flushes = (unsigned)cpu->counters.tlb_flushes;
    s->tables = cpu->banks[cpu->bank].tables;
    s->space = cpu->space;
    save_points(&cpu->points, s);
}

void interpreter_run(struct interpreter *n, const struct code_bytes *code, struct situation *s)
{
    n->s = s;
    load_situation(n, code, s);
    if (cpu_run(n->cpu, 1) != 1) {
        s->leaving = BROKE_DOWN;
        s->broke = "cpu_run() did not execute one instruction";
    }
    save_situation(n, s);
}

unsigned interpreter_decode(struct interpreter *n, const struct code_bytes *code)
{
    struct cpu_fetch at = {.bytes = code->byte, .available = code->count};

    for (unsigned f = 0; f < subject.cpu->feature_count; f++)
        n->cpu->features[f] = subject.cpu->feature_about[f] ? 1 : subject.cpu->feature_values[f];
    subject.cpu->decoders[subject.mode].decode(n->cpu, &at, n->insn);
    return n->insn->form;
}
