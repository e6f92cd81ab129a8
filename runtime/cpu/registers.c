/* Registers by name. */
#include "runtime/cpu/layout.h"

#include <stdlib.h>
#include <strings.h>

#include "runtime/cpu/internal.h"

/* System registers are accessed with the privilege of the highest level. */
#define LEVEL (CPU_RINGS - 1)

bool cpu_register_is_pc(const struct cpu_register *r)
{
    return r->tag && !strcmp(r->tag, "PC");
}

static bool in_state(struct cpu_view v)
{
    return !cpu_register_is_pc(v.reg) && v.reg->offset != CPU_NO_STORAGE;
}

/* "X3": the bank's name, then a number without leading zeros. */
static bool bank_matches(const struct cpu_register *r, const char *name, unsigned *index)
{
    size_t len = strlen(r->name);
    unsigned long n;
    char *end;

    if (strncasecmp(r->name, name, len) || name[len] < '0' || name[len] > '9' ||
        (name[len] == '0' && name[len + 1]))
        return false;
    n = strtoul(name + len, &end, 10);
    *index = (unsigned)n;
    return !*end && n < r->count;
}

bool cpu_register_find(const struct cpu_isa *isa, const char *name, struct cpu_view *out)
{
    for (unsigned n = 0; n < isa->register_count; n++) {
        const struct cpu_register *r = &isa->registers[n];

        *out = (struct cpu_view){.reg = r};
        if (r->count == 1 && !strcasecmp(r->name, name))
            return true;
    }
    for (unsigned n = 0; n < isa->register_count; n++) {
        const struct cpu_register *r = &isa->registers[n];

        *out = (struct cpu_view){.reg = r};
        if (r->count > 1 && bank_matches(r, name, &out->index))
            return true;
    }
    return false;
}

unsigned cpu_register_bytes(struct cpu_view v)
{
    unsigned bytes;

    if (cpu_register_is_pc(v.reg))
        return sizeof(uint64_t);
    bytes = (v.reg->elem_bits + 7) / 8 * (v.reg->lanes ? v.reg->lanes : 1);
    return bytes < CPU_REGISTER_BYTES ? bytes : CPU_REGISTER_BYTES;
}

static uint8_t *register_storage(struct cpu *cpu, struct cpu_view v)
{
    if (cpu_register_is_pc(v.reg))
        return (uint8_t *)&cpu->pc;
    return cpu->state + v.reg->offset + (size_t)v.index * v.reg->stride;
}

struct sysreg_call {
    uint32_t code;
    uint64_t value;
};

static void call_read(struct cpu *cpu, void *arg)
{
    struct sysreg_call *c = arg;

    c->value = cpu->isa->sysreg_read(cpu, c->code, LEVEL);
}

static void call_write(struct cpu *cpu, void *arg)
{
    struct sysreg_call *c = arg;

    cpu->isa->sysreg_write(cpu, c->code, LEVEL, c->value);
}

unsigned cpu_register_read(struct cpu *cpu, struct cpu_view v, void *value)
{
    unsigned bytes = cpu_register_bytes(v);
    struct sysreg_call c = {.code = v.reg->sysreg_code};

    memset(value, 0, bytes);
    if (in_state(v) || cpu_register_is_pc(v.reg))
        memcpy(value, register_storage(cpu, v), bytes);
    else if (v.reg->is_sysreg && cpu->isa->sysreg_read && cpu_guard(cpu, call_read, &c))
        memcpy(value, &c.value, bytes < sizeof(c.value) ? bytes : sizeof(c.value));
    return bytes;
}

void cpu_register_write(struct cpu *cpu, struct cpu_view v, const void *value)
{
    unsigned bytes = cpu_register_bytes(v);
    struct sysreg_call c = {.code = v.reg->sysreg_code};

    if (v.reg->is_sysreg && cpu->isa->sysreg_write) {
        memcpy(&c.value, value, bytes < sizeof(c.value) ? bytes : sizeof(c.value));
        cpu_guard(cpu, call_write, &c);
    } else if (in_state(v) || cpu_register_is_pc(v.reg)) {
        memcpy(register_storage(cpu, v), value, bytes);
        cpu->pc = cpu_wrap(cpu->isa, cpu->pc);
        cpu->attention |= CPU_ATT_KEY; /* the register may be part of the key */
    }
}

uint64_t cpu_register_get(struct cpu *cpu, const char *name)
{
    uint8_t value[CPU_REGISTER_BYTES] = {0};
    struct cpu_view v;

    if (!cpu_register_find(cpu->isa, name, &v))
        return 0;
    cpu_register_read(cpu, v, value);
    return le_get(value, 8);
}

void cpu_register_set(struct cpu *cpu, const char *name, uint64_t value)
{
    uint8_t bytes[CPU_REGISTER_BYTES] = {0};
    struct cpu_view v;

    le_put(bytes, 8, value);
    if (cpu_register_find(cpu->isa, name, &v))
        cpu_register_write(cpu, v, bytes);
}
