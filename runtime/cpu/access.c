/* The functions of cpu.h that read or set one member of a CPU. */
#include "runtime/cpu/exec.h"

struct cpu_hooks *cpu_hooks(struct cpu *cpu)
{
    return &cpu->hooks;
}

void cpu_set_device(struct cpu *cpu, unsigned number, struct cpu_device device)
{
    cpu->devices[number] = device;
}

struct cpu_device cpu_get_device(const struct cpu *cpu, unsigned number)
{
    return cpu->devices[number];
}

uint64_t *cpu_config(struct cpu *cpu)
{
    return cpu->config;
}

void cpu_set_speed(struct cpu *cpu, uint64_t ps_per_tick)
{
    cpu->ps_per_tick = ps_per_tick;
}

void cpu_set_flat(struct cpu *cpu, uintptr_t base)
{
    cpu->flat = true;
    cpu->flat_base = base;
}

void cpu_clear_flat(struct cpu *cpu)
{
    cpu->flat = false;
    cpu->flat_base = 0;
}

bool cpu_is_repeated(const struct cpu *cpu)
{
    return cpu->repeated;
}

bool cpu_is_powered(const struct cpu *cpu)
{
    return cpu->powered;
}

bool cpu_is_halted(const struct cpu *cpu)
{
    return cpu->halted;
}

bool cpu_can_run(const struct cpu *cpu)
{
    return cpu->powered && (!cpu->halted || cpu->lines);
}

unsigned cpu_number(const struct cpu *cpu)
{
    return cpu->number;
}

const struct cpu_isa *cpu_isa_of(const struct cpu *cpu)
{
    return cpu->isa;
}

struct clock *cpu_clock(const struct cpu *cpu)
{
    return cpu->clock;
}

void cpu_stop(struct cpu *cpu)
{
    cpu->attention |= CPU_ATT_STOP;
}

void cpu_end_turn(struct cpu *cpu)
{
    cpu->attention |= CPU_ATT_EVENT;
}

uint64_t cpu_pc(const struct cpu *cpu)
{
    return __atomic_load_n(&cpu->pc, __ATOMIC_RELAXED);
}

void cpu_set_pc(struct cpu *cpu, uint64_t pc)
{
    cpu->pc = pc;
}

uint64_t cpu_calling_pc(const struct cpu *cpu)
{
    return CPU_PC(cpu, cpu->current);
}

uint32_t cpu_mode(const struct cpu *cpu)
{
    return cpu->mode;
}

uint8_t *cpu_state(struct cpu *cpu)
{
    return cpu->state;
}

const uint8_t *cpu_state_const(const struct cpu *cpu)
{
    return cpu->state;
}
