/*
 * Registers of the GPU: the input is a list of 6-byte accesses, each a kind with a register, and a
 * value. Page tables at the start of memory map its first 2 MB for all accesses, so that job chains
 * can run that the input writes there. The input is run on one GPU per shader ISA.
 */
#include "mali_layout.h"
#include "runtime/base/bits.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/gpu_machine.h"

enum { ACCESS_BYTES = 6, MAX_ACCESSES = 4000, MAX_WAIT = 200000 };

/* Kinds, in the upper bits of the register's number. */
enum { WRITE, READ, WAIT, MEMORY, KINDS };

#define TABLES UINT64_C(0x8000)

/* Writes three levels of tables that map 2 MB for reading, writing and execution. */
static void map_memory(struct gpu_machine *m)
{
    const uint64_t pa = GPU_MACHINE_RAM, tables = pa + TABLES;

    for (unsigned level = 0; level < 3; level++) {
        uint64_t index = pa >> (39 - 9 * level) & 0x1ff;
        uint64_t next = tables + 0x1000 * (level + 1);

        bus_write(m->bus, tables + 0x1000 * level + 8 * index, 8,
                  level < 2 ? next | MALI_PAGE_ENTRY_TYPE_TABLE : pa | 0xc1, 0);
    }
    gpu_machine_write(m, MALI_AS_TRANSTAB_LO(0), (uint32_t)(pa + TABLES) | MALI_AS_MODE_TABLE);
    gpu_machine_write(m, MALI_AS_COMMAND(0), MALI_AS_COMMAND_UPDATE);
}

static void power_on(struct gpu_machine *m)
{
    gpu_machine_write(m, MALI_L2_PWRON_LO, UINT32_MAX);
    gpu_machine_write(m, MALI_SHADER_PWRON_LO, UINT32_MAX);
    gpu_machine_write(m, MALI_TILER_PWRON_LO, UINT32_MAX);
    clock_advance_to(&m->clock, m->clock.now + 1000000);
}

static uint32_t register_at(unsigned number)
{
    const struct mali_register *r = &mali_registers[number % MALI_REGISTERS_COUNT];

    return r->offset + r->stride * (number / MALI_REGISTERS_COUNT % r->count);
}

static void run_access(struct gpu_machine *m, const uint8_t *data)
{
    unsigned number = (unsigned)le_get(data, 2) / KINDS, kind = (unsigned)le_get(data, 2) % KINDS;
    uint32_t value = (uint32_t)le_get(data + 2, 4);

    switch (kind) {
    case WRITE:
        gpu_machine_write(m, register_at(number), value);
        break;
    case READ:
        gpu_machine_read(m, value % 3 ? register_at(number) : value % 0x4000);
        break;
    case WAIT:
        clock_advance_to(&m->clock, m->clock.now + value % MAX_WAIT);
        break;
    case MEMORY:
        bus_write(m->bus, GPU_MACHINE_RAM + 4 * (number % 0x4000), 4, value, 0);
        break;
    }
}

static void run_accesses(const char *gpu, const uint8_t *data, size_t size)
{
    struct gpu_machine m;

    if (gpu_machine_open(&m, gpu)) {
        power_on(&m);
        map_memory(&m);
        for (unsigned i = 0; i < MAX_ACCESSES && size >= ACCESS_BYTES; i++) {
            run_access(&m, data);
            data += ACCESS_BYTES;
            size -= ACCESS_BYTES;
        }
    }
    gpu_machine_close(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_accesses("g52", data, size);
    run_accesses("t860", data, size);
    return 0;
}
