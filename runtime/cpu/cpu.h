/*
 * A CPU as machines, devices, user-mode runners and debuggers use it. Several CPUs that run
 * together: group.h. The layout of the structure, which generated and translated code accesses:
 * layout.h. What gencc generates of an architecture: isa.h.
 */
#ifndef RUNTIME_CPU_CPU_H
#define RUNTIME_CPU_CPU_H

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/cpu/isa.h"
#include "runtime/mem/bus.h"
#include "runtime/obs/stats.h"
#include "runtime/time/clock.h"

struct cpu_group;
struct code_cache; /* decoded code of a bus, which runtime/jit translates */

/* ---- connections ----------------------------------------------------------------------------- */

enum {
    CPU_DEVICES = 8, /* ports of a CPU for devices */
    CPU_CONFIGS = 8, /* values that descriptions read by cpu_config() */
};

/* A device on the CPU's own port (read_device/write_device intrinsics). */
struct cpu_device {
    void *opaque;
    uint64_t (*read)(void *opaque, unsigned cpu, uint32_t reg);
    void (*write)(void *opaque, unsigned cpu, uint32_t reg, uint64_t value);
};

/* Callbacks of the machine or the user-mode runner. Any may be NULL. */
struct cpu_hooks {
    void *opaque;
    /* Replace the description's handle_exception, undefined and memory_fault: for user-mode
     * runners. Called outside of any block, with the PC at the instruction. */
    void (*exception)(struct cpu *cpu, uint32_t klass, uint64_t code);
    void (*undefined)(struct cpu *cpu);
    void (*memory_fault)(struct cpu *cpu, uint64_t va, uint32_t access, uint32_t code);
    translate_fn *translate;
    /* firmware_call: true when served. It may power CPUs on and off and reset any CPU, the calling
     * one included. */
    bool (*firmware)(struct cpu *cpu, uint32_t conduit, uint32_t imm);
    void (*debug_stop)(struct cpu *cpu, int why); /* enum debug_why of debug.h */
};

/* Time that memory takes besides the instructions' ticks. */
struct cpu_delays {
    void *opaque;
    /* Returns the picoseconds of an access. Called once per page that the access touches, with
     * physical addresses. */
    uint64_t (*access)(void *opaque, uint64_t pa, unsigned size, enum cpu_access access);
};

/* ---- life ------------------------------------------------------------------------------------ */

/* Makes CPU `number`, powered off, state zero. bus, clock (NULL: no time) and log are borrowed. */
struct cpu *cpu_new(const struct cpu_isa *isa, unsigned number, struct bus *bus,
                    struct clock *clock, struct log *log, struct error *err);
/* cpu_new() for machines: the tables lie in large pages of the host if it has such, 8 MB per
 * CPU. */
struct cpu *cpu_new_large(const struct cpu_isa *isa, unsigned number, struct bus *bus,
                          struct clock *clock, struct log *log, struct error *err);
void cpu_free(struct cpu *cpu);

/*
 * Power-on state: registers zero, features to their values, PC 0, then the description's reset().
 * Interrupt inputs and the power state stay as they are. A firmware hook may reset the CPU that
 * called it: the CPU then continues at its new PC.
 */
void cpu_reset(struct cpu *cpu);

/* The CPU's callbacks, to be set before it runs. */
struct cpu_hooks *cpu_hooks(struct cpu *cpu);

/* Connects a device, copied, with port `number`, below CPU_DEVICES. */
void cpu_set_device(struct cpu *cpu, unsigned number, struct cpu_device device);
/* The device on a port; all members are NULL when there is none. */
struct cpu_device cpu_get_device(const struct cpu *cpu, unsigned number);

/* The CPU_CONFIGS values that the description reads by cpu_config(). */
uint64_t *cpu_config(struct cpu *cpu);

/* Sets how long a tick takes in virtual picoseconds; 0 (default): the group's ps_per_tick. */
void cpu_set_speed(struct cpu *cpu, uint64_t ps_per_tick);

/* Makes memory flat (runtime/mem/flat.h), so that its pages have the guest's permissions; `base`:
 * host address of guest address 0, which may be 0. */
void cpu_set_flat(struct cpu *cpu, uintptr_t base);
/* Memory is not flat, or not any more. */
void cpu_clear_flat(struct cpu *cpu);

/* Makes every access take the time that `delays` returns, by way of the slow path; NULL: memory
 * takes no time. For CPUs in a group; the structure is borrowed. */
void cpu_set_delays(struct cpu *cpu, const struct cpu_delays *delays);

/*
 * For a firmware hook with much work to do: the instruction that called it is executed again `ps`
 * of virtual time later, and the hook then finds cpu_is_repeated(). In between the CPU executes
 * nothing and takes no interrupt, unless it is reset. The hook's result is ignored.
 */
void cpu_repeat(struct cpu *cpu, uint64_t ps);
bool cpu_is_repeated(const struct cpu *cpu);

/* Ends the CPU's exclusive accesses, since another master may have written there. */
void cpu_clear_monitor(struct cpu *cpu);

/*
 * Switches a CPU on or off. A CPU that is off does not run. Switched on, it continues with the
 * state it has, at the virtual time of the CPU that switched it on. A running CPU that is switched
 * off ends its turn after the block.
 */
void cpu_set_power(struct cpu *cpu, bool on);
bool cpu_is_powered(const struct cpu *cpu);

/* Makes the CPU wait for an interrupt, unless one of its inputs is asserted. */
void cpu_halt(struct cpu *cpu);
/* Whether it waits for an interrupt. */
bool cpu_is_halted(const struct cpu *cpu);
/* Whether it would execute instructions in the next turn: it is on, and need not wait. */
bool cpu_can_run(const struct cpu *cpu);

/* Forgets translations and what depends on them, after state, ring, mode or features were changed
 * from outside (a snapshot was loaded). */
void cpu_state_changed(struct cpu *cpu);

/* What the CPU was made with. */
unsigned cpu_number(const struct cpu *cpu);
const struct cpu_isa *cpu_isa_of(const struct cpu *cpu);
struct clock *cpu_clock(const struct cpu *cpu);

/* ---- running --------------------------------------------------------------------------------- */

/*
 * Runs instructions until they have taken `budget` ticks, and returns the ticks they took: more
 * than the budget when the last instruction takes several. Stops early when the CPU waits, on
 * power-off, a debugger's stop or cpu_stop(). An instruction that ends in an exception counts, as
 * does a failed instruction fetch. Without a group the CPU shares the code cache of its bus.
 */
uint64_t cpu_run(struct cpu *cpu, uint64_t budget);

/* Ends cpu_run at the next block boundary. */
void cpu_stop(struct cpu *cpu);

/* Ends the CPU's part of the current turn at the next block boundary. */
void cpu_end_turn(struct cpu *cpu);

/* Drives interrupt input `line`, 0 to 31; the `set` of a struct irq_line. The description gives the
 * numbers their meaning. */
void cpu_set_line(void *cpu, unsigned line, bool level);

/* Instructions executed and ticks that they took, exact also inside of a block. */
uint64_t cpu_insns_now(const struct cpu *cpu);
uint64_t cpu_ticks_now(const struct cpu *cpu);
/* Whether the CPU is inside of an instruction, which these do not count yet. */
bool cpu_within(const struct cpu *cpu);

/* Virtual picoseconds that a tick of the CPU takes. */
uint64_t cpu_tick_ps(const struct cpu *cpu);

/* Virtual picoseconds that instructions and memory took so far, exact also inside of a block. */
uint64_t cpu_used_ps(const struct cpu *cpu);

/* ---- registers ------------------------------------------------------------------------------- */

/* Address of the instruction that is executed next, outside of blocks. Other threads may read it at
 * any time: inside of a block it is the address of one that began before. */
uint64_t cpu_pc(const struct cpu *cpu);
void cpu_set_pc(struct cpu *cpu, uint64_t pc);
/* Address of the instruction that called a hook, for hooks that are called inside of a block. */
uint64_t cpu_calling_pc(const struct cpu *cpu);

/* Number of the ISA that decodes: an index in isa->decoders. */
uint32_t cpu_mode(const struct cpu *cpu);
void cpu_set_mode(struct cpu *cpu, uint32_t mode);
/* Sets the privilege of execution, below CPU_RINGS, 0 lowest. */
void cpu_set_ring(struct cpu *cpu, uint32_t ring);

/* isa->state_bytes bytes that hold the registers; struct cpu_register has their offsets. */
uint8_t *cpu_state(struct cpu *cpu);
const uint8_t *cpu_state_const(const struct cpu *cpu);

struct cpu_view { /* a register to read and write, from cpu_register_find() */
    const struct cpu_register *reg;
    unsigned index;
};

/* Finds "PC", "X3" (bank X, number 3), a system register, in either case; false when there is
 * none. */
bool cpu_register_find(const struct cpu_isa *isa, const char *name, struct cpu_view *out);
enum { CPU_REGISTER_BYTES = 16 };
/* Whether the register is the program counter, which has 64 bits in the CPU. */
bool cpu_register_is_pc(const struct cpu_register *r);
/* Bytes of one register, at most CPU_REGISTER_BYTES. */
unsigned cpu_register_bytes(struct cpu_view v);
/* Reads a register into `value`, little-endian, and returns cpu_register_bytes(). A system register
 * without storage is computed by the description. */
unsigned cpu_register_read(struct cpu *cpu, struct cpu_view v, void *value);
/* Writes cpu_register_bytes() bytes. System registers are written with the effects of a guest's
 * write at the highest level. */
void cpu_register_write(struct cpu *cpu, struct cpu_view v, const void *value);
/* The low 64 bits by name; 0 and no effect when there is no such register. */
uint64_t cpu_register_get(struct cpu *cpu, const char *name);
void cpu_register_set(struct cpu *cpu, const char *name, uint64_t value);

/* ---- memory, for the debugger, firmware and loaders ------------------------------------------ */

/* Copies guest virtual memory without side effects: no fault is taken, devices are not accessed.
 * False when a part is not mapped. */
bool cpu_memory_read(struct cpu *cpu, uint64_t va, void *buf, uint64_t len);
bool cpu_memory_write(struct cpu *cpu, uint64_t va, const void *buf, uint64_t len);

/* The physical address of a virtual one, without side effects; false when it is not mapped. */
bool cpu_memory_find(struct cpu *cpu, uint64_t va, uint64_t *pa);

/* Bytes of the instruction at an address, decoded in the CPU's current mode; 0 when it is not
 * mapped. Not from inside of a block. */
unsigned cpu_instruction_bytes(struct cpu *cpu, uint64_t va);

/* Forgets translations; with `global`, also those that are marked global. */
void cpu_tlb_flush(struct cpu *cpu, bool global);
void cpu_tlb_flush_page(struct cpu *cpu, uint64_t va);
/* Forgets all decoded code (breakpoints changed). */
void cpu_code_flush(struct cpu *cpu);

/* Bounds the memory of decoded code, all CPUs of the bus together; default 256 MB. */
void cpu_code_set_budget(struct cpu *cpu, size_t bytes);

/* ---- statistics ------------------------------------------------------------------------------ */

/*
 * Registers the CPU's counters, and instructions by class and ring, under "cpuN". The CPU must be
 * in its group, or have run, and live until the last stats_write().
 */
void cpu_register_stats(struct cpu *cpu, struct stats *stats);

#endif
