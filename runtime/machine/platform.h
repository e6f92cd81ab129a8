/*
 * A platform: the ISA of its CPUs and the description in platforms/NAME/NAME.dts, compiled by dtc
 * into the binary. The description is a device tree with
 *
 *     /gencc                     what is no hardware:
 *         summary                what the board is, for --help and messages
 *         boards                 root compatibles of the device trees it is for
 *         firmware-memory        bytes of the board's memory that its tree does not list
 *         argument-registers     names of the registers that carry arguments to a kernel at its
 *                                start, and to firmware calls
 *         result-register        where firmware calls leave their result (default: the first), and
 *                                a second register for those whose results are two
 *         semihosting            the conduit by which the CPU description hands over the trap of
 *                                semihosting; `semihosting-around`: the words that stand before and
 *                                behind that instruction, where it has other uses
 *         boot                   `compatible` of the boot protocol (loaders.h)
 *         cpus/NODE              a kind of CPU, by this name in -cpu: `compatible`, and `config`, 64-bit values that the
 *                                CPU description reads (cpu_config); `affinity-config` is the number
 *                                of the value that each CPU's `reg` replaces, `count-config` that of
 *                                the one that the number of the machine's CPUs replaces;
 *                                `tick-picoseconds`: how long a tick takes without -icount (1000);
 *                                `devices`: compatibles of what such a CPU has at its ports even if
 *                                no node of the board's tree is that
 *         devices/NODE           a kind of device: `compatible`, and properties that the device of
 *                                such a node has besides those of the board's tree
 *         labels                 paths of nodes of the board's tree to which fragments refer
 *         gdb                    registers as GDB knows them (debugger.c)
 *     fragment-NAME              an overlay for the board's device tree, by target-path
 *     other nodes                the board's device tree, for a run without -dtb; a description that
 *                                has no /cpus is for others' trees only
 *
 * docs/describe/adding-a-board.md has these as a table.
 */
#ifndef RUNTIME_MACHINE_PLATFORM_H
#define RUNTIME_MACHINE_PLATFORM_H

#include "runtime/cpu/choice.h"
#include "runtime/cpu/cpu.h"
#include "runtime/machine/dt.h"

struct boot_protocol;
struct gpu_isa;

struct platform {
    const char *name; /* of the binary */
    const struct cpu_isa *isa;
    const struct gpu_isa *const *gpu_isas; /* of the GPUs it can have; ends with NULL */
    const void *description;
    size_t description_len;
};

#define PLATFORM_ARGS    8
#define PLATFORM_RESULTS 2
#define PLATFORM_CPUS    16

struct platform_info {
    struct dt *dt;
    const char *summary;
    const char *cpus[PLATFORM_CPUS + 1]; /* names of its kinds of CPU; ends with NULL */
    uint32_t firmware_memory;
    const struct boot_protocol *boot;
    unsigned arg_count;
    struct cpu_view args[PLATFORM_ARGS];
    unsigned result_count; /* at least 1 */
    struct cpu_view results[PLATFORM_RESULTS];
};

/* Reads the description. Release with platform_close(). */
bool platform_open(const struct platform *platform, struct platform_info *info, struct error *err);
void platform_close(struct platform_info *info);

/*
 * The board's tree as the platform has it itself, indexed: the description without what is no hardware.
 * NULL: it has none, or on an error. Release with dt_free().
 */
struct dt *platform_own_tree(const struct platform_info *info, struct error *err);

/* Whether the platform is for the board with this tree. */
bool platform_fits(const struct platform_info *info, const struct dt *board);

/*
 * Fills cpu->config and ps_per_tick for the kind of CPU that the board's node is, or for the one with
 * this name of `cpus`; false when the platform knows none of the node's compatibles.
 */
bool platform_configure_cpu(const struct platform_info *info, const struct dt *board,
                            const struct dt_node *node, unsigned cpus, const char *name,
                            struct cpu *cpu, struct error *err);

/* The node `timing` of that kind of CPU (machine_timing.c), or NULL. */
const struct dt_node *platform_cpu_timing(const struct platform_info *info, const struct dt *board,
                                          const struct dt_node *node, const char *name);

/* The index-th compatible of `devices` of that kind of CPU, or NULL. */
const char *platform_cpu_device(const struct platform_info *info, const struct dt *board,
                                const struct dt_node *node, const char *name, unsigned index);

/* A property that the platform gives devices of this kind, as dt_prop(); NULL: none. */
const void *platform_device_prop(const struct platform_info *info, const char *compatible,
                                 const char *name, size_t *len);

/* Sets the argument registers; those past `count` become 0. */
void platform_set_args(const struct platform_info *info, struct cpu *cpu, const uint64_t *args,
                       unsigned count);

/* Sets result registers, as many as there are values for; the others stay as they are. */
void platform_set_results(const struct platform_info *info, struct cpu *cpu,
                          const uint64_t *results, unsigned count);

/* The argument registers' values; absent ones are 0. */
void platform_get_args(const struct platform_info *info, struct cpu *cpu,
                       uint64_t args[PLATFORM_ARGS]);

/* The program of a platform: reads the command line, runs the machine, returns the exit status. */
int platform_main(const struct platform *platform, char **argv);

#endif
