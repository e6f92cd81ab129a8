/*
 * Linux on MIPS, as YAMON starts it on a Malta: arguments and an environment in memory, in the
 * CPU's byte order, with addresses in the unmapped window kseg0. Kernels are ELF files that are
 * linked to run there.
 *
 * Source: YAMON User's Manual (MD00008), section "Application interface"; Linux
 * arch/mips/fw/lib/cmdline.c, arch/mips/mti-malta/malta-memory.c.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/vec.h"
#include "runtime/base/bits.h"
#include "runtime/machine/loaders.h"

#define WINDOW      UINT64_C(0x1fffffff)
#define KSEG0       UINT32_C(0x80000000)
#define ENVIRONMENT UINT32_C(0x2000) /* physical address of the vectors, below any kernel */
#define ENV_ENTRIES 8                /* words per vector */
#define ENV_BYTES   0x1000u

/* The argument vector, the environment vector, and the strings of both. */
struct environment {
    uint8_t bytes[ENV_BYTES];
    size_t used;
    bool big_endian; /* the vectors' words */
};

/* Appends a string and stores its address in word number `word`. False: there is no room. */
static bool add_string(struct environment *e, size_t word, const char *text)
{
    size_t len = strlen(text) + 1;

    if (len > sizeof(e->bytes) - e->used)
        return false;
    (e->big_endian ? be_put : le_put)(e->bytes + 4 * word, 4,
                                      KSEG0 | (ENVIRONMENT + (uint32_t)e->used));
    memcpy(e->bytes + e->used, text, len);
    e->used += len;
    return true;
}

static bool prepare_boot(const struct boot_entry *entry, struct bus *bus, struct error *err)
{
    struct environment e = {.used = 2 * 4 * ENV_ENTRIES, .big_endian = entry->big_endian};
    char command[ENV_BYTES / 2], memory[32];
    int len = 0;

    if (entry->initrd_len)
        len = snprintf(command, sizeof(command), "rd_start=0x%08" PRIx32 " rd_size=%" PRIu64 " ",
                       KSEG0 | (uint32_t)entry->initrd_at, entry->initrd_len);
    if (strlen(entry->command) >= sizeof(command) - (size_t)len)
        return error_set(err, "the command line is longer than %zu bytes",
                         sizeof(command) - (size_t)len - 1);
    strcpy(command + len, entry->command);
    snprintf(memory, sizeof(memory), "%" PRIu64, entry->memory);
    if (!add_string(&e, 0, "kernel") || !add_string(&e, 1, command) ||
        !add_string(&e, ENV_ENTRIES, "memsize") || !add_string(&e, ENV_ENTRIES + 1, memory) ||
        !add_string(&e, ENV_ENTRIES + 2, "ememsize") || !add_string(&e, ENV_ENTRIES + 3, memory) ||
        !add_string(&e, ENV_ENTRIES + 4, "modetty0") ||
        !add_string(&e, ENV_ENTRIES + 5, "38400n8r"))
        return error_set(err, "no room for the boot environment");
    return bus_load(bus, ENVIRONMENT, e.bytes, sizeof(e.bytes)) ||
           error_set(err, "no memory at %#x for the boot environment", ENVIRONMENT);
}

/* a0: number of arguments, a1 and a2: vectors of arguments and environment, a3: bytes of memory. */
static unsigned kernel_arguments(const struct boot_entry *entry, uint64_t *args)
{
    args[0] = 2;
    args[1] = KSEG0 | ENVIRONMENT;
    args[2] = KSEG0 | (ENVIRONMENT + 4 * ENV_ENTRIES);
    args[3] = entry->memory;
    return 4;
}

static const char *const compatible[] = {"linux,mips-yamon", NULL};
static const struct kernel_format *const formats[] = {NULL};

const struct boot_protocol boot_mips = {
    .architecture = "mips",
    .elf_machines = {EM_MIPS},
    .compatible = compatible,
    .formats = formats,
    .arguments = kernel_arguments,
    .elf_window = WINDOW,
    .prepare = prepare_boot,
};
