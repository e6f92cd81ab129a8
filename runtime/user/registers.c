/* The registers of calls, threads and signals: an ABI names them, and they are found once. */
#include <stdio.h>
#include <string.h>

#include "runtime/user/abi.h"

/* Offsets in cpu_state(cpu), equal in all processes. */
static struct {
    unsigned number, arg[USER_ARGS], stack;
} at;

static bool find_register(const char *name, unsigned *offset, struct error *err)
{
    struct cpu_view v;

    if (!cpu_register_find(user_abi.isa, name, &v) || v.reg->offset == CPU_NO_STORAGE)
        return error_set(err, "the description has no register %s", name);
    *offset = v.reg->offset + v.index * v.reg->stride;
    return true;
}

bool user_find_bank(const char *bank, unsigned count, unsigned *offset, struct error *err)
{
    char name[24];

    for (unsigned n = 0; n < count; n++) {
        snprintf(name, sizeof(name), "%.8s%u", bank, n);
        if (!find_register(name, &offset[n], err))
            return false;
    }
    return true;
}

bool user_find_registers(struct error *err)
{
    for (unsigned n = 0; n < USER_ARGS; n++) {
        if (!find_register(user_abi.registers.arg[n], &at.arg[n], err))
            return false;
    }
    return find_register(user_abi.registers.number, &at.number, err) &&
           find_register(user_abi.registers.stack, &at.stack, err);
}

static uint64_t get_register(const struct cpu *cpu, unsigned offset)
{
    uint64_t value = 0;

    memcpy(&value, cpu_state_const(cpu) + offset, user_abi.word_bytes);
    return value;
}

static void set_register(struct cpu *cpu, unsigned offset, uint64_t value)
{
    memcpy(cpu_state(cpu) + offset, &value, user_abi.word_bytes);
}

uint64_t user_stack_pointer(const struct cpu *cpu)
{
    return get_register(cpu, at.stack);
}

void user_set_stack_pointer(struct cpu *cpu, uint64_t sp)
{
    set_register(cpu, at.stack, sp);
}

void user_branch(struct cpu *cpu, uint64_t address)
{
    if (user_abi.branch)
        user_abi.branch(cpu, address);
    else
        cpu_set_pc(cpu, address);
}

void user_set_tls(struct cpu *cpu, uint64_t tls)
{
    cpu_register_set(cpu, user_abi.registers.tls, tls);
}

/* ---- system calls ---------------------------------------------------------------------------- */

static unsigned call_bytes(const struct cpu *cpu)
{
    return user_abi.call_bytes ? user_abi.call_bytes(cpu) : 4;
}

uint64_t user_begin_call(struct cpu *cpu, uint64_t reg[USER_ARGS])
{
    for (unsigned n = 0; n < USER_ARGS; n++)
        reg[n] = get_register(cpu, at.arg[n]);
    if (user_abi.leave_call)
        user_abi.leave_call(cpu);
    cpu_set_pc(cpu, cpu_pc(cpu) + call_bytes(cpu));
    return get_register(cpu, at.number);
}

void user_set_result(struct cpu *cpu, int64_t result)
{
    set_register(cpu, at.arg[0], (uint64_t)result);
}

void user_repeat_call(struct cpu *cpu, uint64_t first)
{
    set_register(cpu, at.arg[0], first);
    cpu_set_pc(cpu, cpu_pc(cpu) - call_bytes(cpu));
}
