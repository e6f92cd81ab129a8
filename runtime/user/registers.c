/* The registers of calls and threads: an ABI names them, and they are found once. */
#include <stdio.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/user/abi.h"
#include "runtime/user/user.h"

/* A register in cpu_state(cpu). */
struct place {
    unsigned offset, bytes;
};

/* Equal in all processes. */
static struct {
    struct place number, arg[USER_ARG_REGISTERS], result, second, error, stack;
} at;

/* NULL as a name: nothing is looked for. */
static bool find_register(const char *name, struct place *place, struct error *err)
{
    struct cpu_view v;

    if (!name)
        return true;
    if (!cpu_register_find(user_abi.isa, name, &v) || v.reg->offset == CPU_NO_STORAGE)
        return error_set(err, "the description has no register %s", name);
    *place = (struct place){v.reg->offset + v.index * v.reg->stride, v.reg->elem_bits / 8};
    return true;
}

bool user_find_registers(struct error *err)
{
    const struct user_registers *r = &user_abi.registers;

    for (unsigned n = 0; n < r->arg_count; n++) {
        if (!find_register(r->arg[n], &at.arg[n], err))
            return false;
    }
    return find_register(r->number, &at.number, err) && find_register(r->result, &at.result, err) &&
           find_register(r->second, &at.second, err) && find_register(r->error, &at.error, err) &&
           find_register(r->stack, &at.stack, err);
}

static uint64_t get_register(const struct cpu *cpu, struct place p)
{
    uint64_t value = 0;

    memcpy(&value, cpu_state_const(cpu) + p.offset, p.bytes);
    return value;
}

static void set_register(struct cpu *cpu, struct place p, uint64_t value)
{
    memcpy(cpu_state(cpu) + p.offset, &value, p.bytes);
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
    if (user_abi.mode_bit) {
        cpu_set_mode(cpu, address & 1);
        address &= ~(uint64_t)(user_abi.isa->decoders[address & 1].unit_bytes - 1);
    }
    cpu_set_pc(cpu, cpu_wrap(user_abi.isa, address));
}

void user_set_tls(struct cpu *cpu, uint64_t tls)
{
    cpu_register_set(cpu, user_abi.registers.tls, tls);
}

/* ---- the beginning --------------------------------------------------------------------------- */

static uint64_t read_timer(void *opaque, unsigned cpu, uint32_t reg)
{
    const struct cpu *owner = opaque;

    (void)cpu;
    if (reg == user_abi.timer.frequency)
        return user_abi.timer.hz;
    if (reg == user_abi.timer.count)
        return clock_ns_to_ticks(clock_now(cpu_clock(owner)), user_abi.timer.hz);
    return 0;
}

void user_start(struct cpu *cpu)
{
    for (unsigned n = 0; n < user_abi.config_count; n++)
        cpu_config(cpu)[n] = user_abi.config[n];
    if (user_abi.timer.hz)
        cpu_set_device(cpu, user_abi.timer.device,
                       (struct cpu_device){.opaque = cpu, .read = read_timer});
    for (unsigned n = 0; n < user_abi.setting_count; n++)
        cpu_register_set(cpu, user_abi.settings[n].name, user_abi.settings[n].value);
    cpu_set_ring(cpu, 0);
    cpu_state_changed(cpu);
}

/* ---- system calls ---------------------------------------------------------------------------- */

static unsigned call_bytes(const struct cpu *cpu)
{
    return user_abi.call_bytes[cpu_mode(cpu) & 1];
}

uint64_t user_begin_call(struct cpu *cpu, uint64_t reg[USER_WORDS])
{
    for (unsigned n = 0; n < USER_WORDS; n++)
        reg[n] = n < user_abi.registers.arg_count ? get_register(cpu, at.arg[n]) : 0;
    if (user_abi.isa->leave_call)
        user_abi.isa->leave_call(cpu);
    cpu_set_pc(cpu, cpu_pc(cpu) + call_bytes(cpu));
    return get_register(cpu, at.number);
}

void user_set_result(struct cpu *cpu, int64_t result)
{
    bool failed = result < 0 && result >= -4095;

    if (failed)
        result = -(int64_t)number_to_guest(USER_ERRNO, (uint32_t)-result);
    if (user_abi.registers.error) {
        set_register(cpu, at.error, failed);
        result = failed ? -result : result;
    }
    set_register(cpu, at.result, (uint64_t)result);
}

void user_set_second(struct cpu *cpu, uint64_t result)
{
    set_register(cpu, at.second, result);
}

void user_repeat_call(struct cpu *cpu, uint64_t first)
{
    set_register(cpu, at.arg[0], first);
    cpu_set_pc(cpu, cpu_pc(cpu) - call_bytes(cpu));
}
