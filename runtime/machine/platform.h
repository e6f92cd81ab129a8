/*
 * A platform: the ISA of its CPUs and the description in platforms/NAME/NAME.dts, compiled by dtc
 * into the binary. The description is a device tree with
 *
 *     /gencc                     properties that are not hardware:
 *         summary                the board in a few words, for --help and messages
 *         boards                 root compatibles of the device trees that the platform runs
 *         firmware-memory        bytes of the board's memory that its tree does not list
 *         argument-registers     names of the registers that carry arguments to a kernel at its
 *                                start, and to firmware calls
 *         result-register        register of a firmware call's result (default: the first), and a
 *                                second register for calls with two results
 *         semihosting            the conduit by which the CPU description passes the trap of
 *                                semihosting; `semihosting-around`: the words before and behind
 *                                that instruction, if the instruction has other uses
 *         boot                   `compatible` of the boot protocol (loaders.h)
 *         cpus/NODE              a kind of CPU, with NODE as its name in -cpu: `compatible`, and
 *                                `config`, 64-bit values that the CPU description reads
 *                                (cpu_config); `affinity-config`: index of the value that each
 *                                CPU's `reg` replaces; `count-config`: index of the value that the
 *                                machine's number of CPUs replaces; `tick-picoseconds`: time of a
 *                                tick without -icount (1000); `devices`: compatibles of devices at
 *                                the CPU's ports, which need no node in the board's tree
 *         devices/NODE           a kind of device: `compatible`, and properties that are added to
 *                                those of the board's tree
 *         labels                 paths of nodes of the board's tree to which fragments refer
 *         linux                  where Linux keeps its running task (linux_tasks.h)
 *         gdb                    registers by GDB's names (debugger.c)
 *     fragment-NAME              an overlay for the board's device tree, by target-path
 *     other nodes                the board's device tree, for a run without -dtb; a description
 *                                without /cpus needs -dtb
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
    const char *name; /* name of the binary */
    const struct cpu_isa *isa;
    const struct gpu_isa *const *gpu_isas; /* shader ISAs of possible GPUs; ends with NULL */
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

/* Reads the platform's description. Release with platform_close(). */
bool platform_open(const struct platform *platform, struct platform_info *info, struct error *err);
void platform_close(struct platform_info *info);

/*
 * The platform's own board tree, indexed: the description without /gencc and overlays. NULL: it has
 * none, or an error occurred. Release with dt_free().
 */
struct dt *platform_own_tree(const struct platform_info *info, struct error *err);

/* Whether the platform runs the board of this tree. */
bool platform_fits(const struct platform_info *info, const struct dt *board);

/* A CPU of a board, by its node. */
struct platform_cpu {
    const struct dt *board;
    const struct dt_node *node;
    unsigned count;   /* CPUs of the board */
    const char *name; /* chosen kind of CPU; NULL: the kind that has the node's compatible */
};

/* Sets cpu->config and ps_per_tick for its kind of CPU; false: the platform has none of the node's
 * compatibles. */
bool platform_configure_cpu(const struct platform_info *info, const struct platform_cpu *which,
                            struct cpu *cpu, struct error *err);

/* The node `timing` of that kind of CPU (machine_timing.c), or NULL. */
const struct dt_node *platform_cpu_timing(const struct platform_info *info, const struct dt *board,
                                          const struct dt_node *node, const char *name);

/* The index-th compatible of `devices` of that kind of CPU, or NULL. */
const char *platform_cpu_device(const struct platform_info *info, const struct dt *board,
                                const struct dt_node *node, const char *name, unsigned index);

/* A property that the platform adds to devices with this compatible, as dt_prop(); NULL: none. */
const void *platform_device_prop(const struct platform_info *info, const char *compatible,
                                 const char *name, size_t *len);

/* Sets the argument registers; registers from `count` on become 0. */
void platform_set_args(const struct platform_info *info, struct cpu *cpu, const uint64_t *args,
                       unsigned count);

/* Sets the first `count` result registers; other registers keep their values. */
void platform_set_results(const struct platform_info *info, struct cpu *cpu,
                          const uint64_t *results, unsigned count);

/* Reads the argument registers; registers that the platform does not have read as 0. */
void platform_get_args(const struct platform_info *info, struct cpu *cpu,
                       uint64_t args[PLATFORM_ARGS]);

/* The program of a platform: reads the command line, runs the machine, returns the exit status. */
int platform_main(const struct platform *platform, char **argv);

#endif
