/*
 * Internals of the GPU device: control block, power, job manager, MMU and performance counters of
 * one GPU. Registers have the names of the description (mali_layout.h).
 *
 * State that a snapshot saves is in plain structures here; derived state is at the end of each. All
 * of it belongs to the machine's thread. Shader cores on other threads access only address spaces,
 * through gpu_address_space.translate(), while the machine's thread waits for them.
 */
#ifndef RUNTIME_GPU_INTERNAL_H
#define RUNTIME_GPU_INTERNAL_H

#include "common/vec.h"
#include "runtime/dev/device.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/observer.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/timing_model.h"
#include "runtime/gpu/variant.h"

enum { GPU_MAX_SLOTS = 16, GPU_MAX_SPACES = 16 };

/* ---- time ------------------------------------------------------------------------------------ */

/* Events in virtual time. */
enum gpu_event {
    GPU_EVENT_RESET,   /* a reset is complete */
    GPU_EVENT_POWER,   /* power transitions are complete */
    GPU_EVENT_COMMAND, /* a command of the control block is complete */
    GPU_EVENT_JOBS,    /* the shader cores or the job manager finished a step */
    GPU_EVENT_REPLAY,  /* jobs that wait for a page try again */
    GPU_EVENT_COUNT,
};

struct gpu;

struct gpu_timer {
    struct event event;
    struct gpu *gpu;
    enum gpu_event what;
};

/* ---- control block --------------------------------------------------------------------------- */

/* Raw status and mask of one of the three interrupt outputs. */
struct gpu_irq {
    uint32_t raw, mask;
};

enum gpu_output { GPU_OUTPUT_JOB, GPU_OUTPUT_MMU, GPU_OUTPUT_GPU, GPU_OUTPUTS };

enum gpu_domain {
    GPU_DOMAIN_SHADER,
    GPU_DOMAIN_TILER,
    GPU_DOMAIN_L2,
    GPU_DOMAIN_STACK,
    GPU_DOMAINS
};

/* Cores of one kind, which are powered individually; one bit per core. */
struct gpu_power {
    uint64_t ready;
    uint64_t rising, falling; /* in transition */
};

struct gpu_control {
    struct gpu_power power[GPU_DOMAINS];
    uint32_t pending; /* interrupts that GPU_EVENT_COMMAND raises */
    uint32_t flush_id;
    uint32_t fault_status;
    uint64_t fault_address;
    uint32_t power_key, power_override[2];
    uint32_t config[4]; /* settings without an effect here; they read as written */
    uint32_t coherency;
    uint32_t counting;    /* the cycle counter runs */
    uint64_t cycles;      /* value of the cycle counter when it was last stopped */
    uint64_t count_since; /* time in ns at which it was started */
};

/* ---- performance counters -------------------------------------------------------------------- */

enum gpu_counter_block {
    GPU_BLOCK_JOBS,
    GPU_BLOCK_TILER,
    GPU_BLOCK_MEMORY,
    GPU_BLOCK_SHADER,
    GPU_BLOCKS,
};

struct gpu_slot_count {
    uint64_t jobs, tasks, active_cycles;
};

struct gpu_perfcnt {
    uint64_t base;
    uint32_t config;
    uint32_t enable[GPU_BLOCKS];
    struct gpu_slot_count slot[GPU_MAX_SLOTS]; /* since the last clear or dump */
    uint64_t active_cycles;
    uint64_t core_active[GPU_MAX_CORES]; /* gpu_cores_active() at the last clear or dump */
};

/* ---- MMU ------------------------------------------------------------------------------------- */

struct gpu_space_regs {
    uint64_t table, attributes, config; /* registers as written */
    uint64_t lock;
    uint32_t fault_status;
    uint64_t fault_address, fault_extra;
    uint64_t live_table; /* table in effect since the last update command */
};

/* Pages that the cores may write. */
struct gpu_granted {
    VEC(uint64_t) pages;    /* physical page numbers */
    uint8_t *granted_pages; /* bit p: page p of RAM is in `pages` */
};

struct gpu_space {
    struct gpu_mmu *mmu;
    const struct gpu_space_regs *regs;
    struct gpu_address_space view; /* the address space of running jobs */
    pthread_mutex_t lock;          /* guards `granted`, to which cores add */
    struct gpu_granted granted;
};

/* RAM for translations. They cannot use the bus, which caches its last lookup, from several
 * threads. */
struct gpu_ram {
    uint64_t base, size;
    uint8_t *host;
    const uint8_t *page_flags; /* belongs to the bus */
    uint64_t first_page;       /* number of the first page among all pages of RAM */
};

struct gpu_mmu {
    struct gpu_space_regs regs[GPU_MAX_SPACES];

    unsigned architecture; /* architecture version of the layouts */
    unsigned pa_bits;
    struct gpu_space space[GPU_MAX_SPACES];

    struct bus *bus;
    uint64_t bus_generation;
    VEC(struct gpu_ram) ram;
    uint64_t ram_pages;
};

/* ---- job manager ----------------------------------------------------------------------------- */

struct gpu_job_slot {
    uint64_t head, tail, affinity;
    uint32_t config, xaffinity, status;
    uint64_t next_head, next_affinity;
    uint32_t next_config, next_xaffinity, next_command, next_flush_id;
    uint32_t active;       /* a chain runs */
    uint32_t stopping;     /* a soft stop was requested */
    uint32_t stalled;      /* the chain waits for a page */
    uint32_t replay;       /* the chain tries again at GPU_EVENT_REPLAY */
    uint32_t blocked;      /* failed: nothing starts before the driver clears the interrupt */
    uint32_t stall_access; /* enum gpu_access */
    uint32_t stepping;     /* a step is in progress, until step_end */
    uint64_t stall_address;
    uint64_t step_end; /* virtual time in ns */
    uint64_t cores;    /* cores of the slot's chain, as bits of shader_present */
};

struct gpu_slot_link { /* argument of the callbacks of a slot's chain */
    struct gpu *gpu;
    unsigned n;
};

/* What observers receive about a slot's chain and job when these end. */
struct gpu_slot_times {
    uint64_t submit_ns, chain_ns, job_ns;
    unsigned submit_cpu, cpu; /* CPUs that wrote the start commands: of the chain, of the next */
    uint64_t next_ns;         /* time of the next start command */
    bool job_running;         /* the job at job_ns has not ended */
    bool ended;               /* `job` has ended in this step */
    struct gpu_chain_job job;
};

struct gpu_jobs {
    struct gpu_job_slot slot[GPU_MAX_SLOTS];
    uint32_t state; /* JS_STATE register */
    uint32_t throttle;
    uint32_t turn; /* slot that ran last */

    uint32_t loaded; /* bit n: slot n's chain is that of the snapshot that is being loaded */

    struct gpu_chain *chain[GPU_MAX_SLOTS]; /* NULL: the GPU does not have the slot */
    struct gpu_slot_link link[GPU_MAX_SLOTS];
    /* Outcome of each slot's step in progress. The step's stores are in memory from its begin
     * on. */
    struct gpu_chain_outcome outcome[GPU_MAX_SLOTS];
    struct gpu_slot_times times[GPU_MAX_SLOTS];
};

/* How long cores were in use, in GPU cycles. */
struct gpu_core_use {
    uint64_t total; /* cycles during which at least one chain ran */
    /* Cycles of `total` during which a job had the core, by the core's number. The core's clock is
     * gated for the rest. */
    uint64_t clocked[GPU_MAX_CORES];
};

/* ---- the whole ------------------------------------------------------------------------------- */

/* Counters of the device itself. */
struct gpu_counts {
    uint64_t register_reads, register_writes, interrupts, resets;
};

/* State of the writer of chain snapshots. */
struct gpu_recorder {
    unsigned count; /* number of files */
    uint64_t bytes; /* size of the files */
    bool full;      /* a snapshot exceeded the bound: no more are written */
};

/* ---- clock and power ------------------------------------------------------------------------- */

/* Energy that is spent evenly: that of a job slot's last step, or of the clocks of shared parts. */
struct gpu_meter_step {
    uint64_t pending[POWER_PARTS]; /* spent from the meter's since_ns to until_ns */
    uint64_t until_ns;
};

enum { METER_SHARED = GPU_MAX_SLOTS, METER_STEPS };

/* The energy meter (meter.c). Times are virtual time in ns, energies pJ. */
struct gpu_meter {
    uint64_t since_ns;                       /* `total` has all energy up to this time */
    struct power_energy total;               /* energies of cores are added when a step begins */
    struct gpu_meter_step step[METER_STEPS]; /* per slot, then METER_SHARED */
    uint64_t window_ns, window_energy; /* begin of the current window, and the energy until then */
    uint64_t microwatt;                /* mean power of the last whole window */
};

struct gpu_meter_stat { /* argument of a statistic's function */
    const struct gpu *gpu;
    unsigned n; /* number of the part or core */
};

struct gpu {
    struct gpu_irq irq[GPU_OUTPUTS];
    uint64_t due[GPU_EVENT_COUNT]; /* time in ns; CLOCK_NEVER: not planned */
    struct gpu_control control;
    struct gpu_perfcnt perfcnt;
    struct gpu_jobs jobs;
    struct power_point at; /* current clock and voltage */
    struct gpu_meter meter;

    struct gpu_supply *supply;
    struct gpu_supply own_supply; /* used if the machine has no supply */
    struct gpu_meter_stat meter_stat[POWER_CORES];
    uint64_t job_core[POWER_CORES]; /* pJ per core of the job that ends with this step */
    struct gpu_mmu mmu;
    const struct device_env *env;
    const struct gpu_variant *variant;
    struct gpu_cores *cores;
    struct gpu_timer timer[GPU_EVENT_COUNT];
    struct irq_line line[GPU_OUTPUTS];
    bool level[GPU_OUTPUTS];
    struct device_seen unknown, misused; /* registers already mentioned in the log */
    struct gpu_counts counts;
    struct gpu_chain_counters chains;
    struct gpu_counters perfcnt_since;     /* counters of the cores at the last dump */
    struct gpu_model_counters model_since; /* counters of the time model at the last dump */
    struct gpu_recorder recorder;
    uint64_t groups; /* work-groups that the cores had run when the last job ended */
    struct gpu_kernels *kernels;
    struct gpu_core_use use;
    unsigned cpu; /* CPU that accesses a register */
};

/* ---- blocks.c -------------------------------------------------------------------------------- */

/* Plans an event at `ns` from now; an event that is already planned moves. */
void gpu_plan(struct gpu *gpu, enum gpu_event what, uint64_t ns);
void gpu_unplan(struct gpu *gpu, enum gpu_event what);

/* Duration of GPU cycles in ns, rounded up, at least 1. */
uint64_t gpu_cycles_to_ns(const struct gpu *gpu, uint64_t cycles);

/* Values of the cycle counter, and of the timestamp counter, which runs at GENERIC_TIMER_HZ. */
uint64_t gpu_cycle_count(const struct gpu *gpu);
uint64_t gpu_timestamp(const struct gpu *gpu);

/* Drives an output's line by its raw status and mask. */
void gpu_drive(struct gpu *gpu, enum gpu_output output);

/* Sets bits in an interrupt's raw status. */
void gpu_raise(struct gpu *gpu, enum gpu_output output, uint32_t bits);

/* Operations of the driver on an interrupt: clearing or raising bits of the raw status, writing the
 * mask, and reading the raw status under the mask. */
void gpu_clear(struct gpu *gpu, enum gpu_output output, uint32_t bits);
void gpu_set_mask(struct gpu *gpu, enum gpu_output output, uint32_t mask);
uint32_t gpu_irq_status(const struct gpu *gpu, enum gpu_output output);

/* Value of a register that is constant in the variant's description. */
uint32_t gpu_constant(const struct gpu *gpu, uint32_t offset);

/* A half of the value of a register pair: the low register, or the high one, 4 bytes behind. */
static inline uint32_t gpu_half(uint64_t value, bool high)
{
    return (uint32_t)(high ? value >> 32 : value);
}

static inline void gpu_set_half(uint64_t *value, bool high, uint32_t half)
{
    *value = high ? (*value & UINT32_MAX) | (uint64_t)half << 32
                  : (*value & ~(uint64_t)UINT32_MAX) | half;
}

/* Logs a mistake of the guest, once per register. */
void gpu_misused(struct gpu *gpu, uint32_t offset, const char *what, uint32_t value);

/* Current counters of the cores. */
const struct gpu_counters *gpu_work(const struct gpu *gpu);

/* ---- control.c ------------------------------------------------------------------------------- */

/* false: there is no such register. */
bool gpu_control_read(struct gpu *gpu, uint32_t offset, uint32_t *value);
bool gpu_control_write(struct gpu *gpu, uint32_t offset, uint32_t value);
void gpu_control_reset(struct gpu *gpu);
void gpu_control_event(struct gpu *gpu, enum gpu_event what);

/* ---- job_manager.c --------------------------------------------------------------------------- */

/* Makes the job slots' chains. false: one could not be made. */
bool gpu_jobs_create(struct gpu *gpu);
void gpu_jobs_destroy(struct gpu *gpu);
bool gpu_jobs_read(struct gpu *gpu, uint32_t offset, uint32_t *value);
bool gpu_jobs_write(struct gpu *gpu, uint32_t offset, uint32_t value);
void gpu_jobs_reset(struct gpu *gpu);
void gpu_jobs_event(struct gpu *gpu);
/* Resumes jobs that wait for a page of the address space if the page is mapped by now. */
void gpu_jobs_retry(struct gpu *gpu, unsigned space);
/* Plans a retry of jobs that wait for pages of the address space, after an MMU command of the
 * driver. */
void gpu_jobs_replay_later(struct gpu *gpu, unsigned space);
/* Handles GPU_EVENT_REPLAY. */
void gpu_jobs_replay(struct gpu *gpu);
/* After a load: running chains that were loaded go on; others start again at the job that was
 * running, and the end of their step in progress is lost unless it ended a job. */
void gpu_jobs_post_load(struct gpu *gpu);
/* Whether a chain is running in any slot. */
bool gpu_jobs_busy(const struct gpu *gpu);
/* The address space of a slot's chain. */
unsigned gpu_slot_space(const struct gpu_job_slot *s);

/* ---- saved.c --------------------------------------------------------------------------------- */

/* The chains that run, and the sums of the cores, in snapshots of a machine. */
void gpu_jobs_save(void *dev, struct state_buf *buf);
bool gpu_jobs_load(void *dev, const struct state_buf *buf, struct error *err);
/* Whether gpu_jobs_load() would take them; device_class.check(). */
bool gpu_jobs_check(const void *dev, const struct device_saved *saved, struct error *err);

/* ---- job_cores.c ----------------------------------------------------------------------------- */

/* Chooses the cores of the chain that begins in slot `n`. */
void gpu_jobs_choose_cores(struct gpu *gpu, unsigned n);
/* Chooses the cores of a compute job of slot n's chain, as bits of shader_present. */
uint64_t gpu_jobs_cores_of(struct gpu *gpu, unsigned n, const struct gpu_chain_job *job);
/* Whether another slot has a step in progress. */
bool gpu_jobs_others_step(const struct gpu *gpu, unsigned n);
/* Whether no step that is in progress uses the cores of the slot's chain. */
bool gpu_jobs_cores_free(const struct gpu *gpu, unsigned n);
/* Counts a step of slot `n`, which begins now, takes `cycles` cycles and uses `cores`. Returns by
 * how many cycles the step extends the time during which any slot has a step in progress. */
uint64_t gpu_jobs_count_step(struct gpu *gpu, unsigned n, uint64_t cores, uint64_t cycles);
/* Registers the statistics of each core under "gpu/cores". */
void gpu_jobs_register_cores(struct gpu *gpu);

/* ---- mmu.c ----------------------------------------------------------------------------------- */

/* Makes the address spaces, all of them disabled. */
void gpu_mmu_create(struct gpu *gpu);
void gpu_mmu_destroy(struct gpu *gpu);
bool gpu_mmu_read(struct gpu *gpu, uint32_t offset, uint32_t *value);
/* Effects of a register write on waiting jobs; one bit per address space. */
struct gpu_mmu_change {
    uint32_t translations; /* translations may have changed */
    uint32_t faults_read;  /* the driver has handled a fault: accesses may continue */
};
/* `change` is zero before. */
bool gpu_mmu_write(struct gpu *gpu, uint32_t offset, uint32_t value, struct gpu_mmu_change *change);
void gpu_mmu_reset(struct gpu *gpu);
void gpu_mmu_post_load(struct gpu *gpu);
/* Called before jobs of the address space run, and gpu_mmu_leave() after: together they keep
 * translations and decoded CPU code valid. */
struct gpu_address_space *gpu_mmu_enter(struct gpu *gpu, unsigned space);
void gpu_mmu_leave(struct gpu *gpu, unsigned space);
/* Whether the address space translates addresses. */
bool gpu_mmu_enabled(const struct gpu *gpu, unsigned space);
/* Reports a fault to the driver. false: the fault cannot be served, and the access fails. */
bool gpu_mmu_fault(struct gpu *gpu, unsigned space, const struct gpu_fault *fault);

struct mali_page_entry;
/* Reads an entry of a translation table. false: no RAM at `pa`. */
bool gpu_mmu_read_entry(const struct gpu_mmu *mmu, uint64_t pa, struct mali_page_entry *entry);

/* ---- observe.c ------------------------------------------------------------------------------- */

/* Whether observers are registered or the log channel gpu_job is on. */
bool gpu_observed(const struct gpu *gpu);
/* To be called when a slot's start command is written, when its chain begins, and when it ends. */
void gpu_observe_submit(struct gpu *gpu, unsigned slot);
void gpu_observe_chain(struct gpu *gpu, unsigned slot);
void gpu_observe_chain_end(struct gpu *gpu, unsigned slot, unsigned space);
/* To be called before a step of a slot's chain. */
void gpu_observe_step(struct gpu *gpu, unsigned slot);
/* To be called after a step that takes until `end_ns`, while the address space is entered. */
void gpu_observe_stepped(struct gpu *gpu, unsigned slot, unsigned space, uint64_t end_ns);
void gpu_observe_line(const struct gpu *gpu, enum gpu_output output, bool level);
void gpu_observe_access(const struct gpu *gpu, bool write);
/* Makes the time model, if there is one, report work-groups to observers. */
void gpu_observe_stays(struct gpu *gpu);
void gpu_observe_fault(const struct gpu *gpu, unsigned space, uint64_t va, uint32_t code);

/* Reports that the GPU's power is `microwatt` from virtual time `ns` on. */
void gpu_observe_power(const struct gpu *gpu, uint64_t ns, uint64_t microwatt);

/* ---- meter.c --------------------------------------------------------------------------------- */

/* Whether energy is metered. */
static inline bool gpu_metered(const struct gpu *gpu)
{
    return gpu->env->gpu->power && gpu->cores;
}

/* Connects the GPU to the machine's supply, whose clock and voltage it then follows. */
void gpu_supply_connect(struct gpu *gpu);
/* Ends that before the GPU is freed. */
void gpu_supply_disconnect(struct gpu *gpu);
/* Counts energy up to the present. To be called before the clock or a power state changes. */
void gpu_meter_advance(struct gpu *gpu);
/* Counts the energy of a slot's step that begins now and takes `cycles` GPU cycles. */
void gpu_meter_step(struct gpu *gpu, unsigned slot, uint64_t cycles);
/* Reports the present power to observers, after steps have begun or ended. */
void gpu_meter_tell(struct gpu *gpu);
/* Clears all energies, as a reset of the machine does. */
void gpu_meter_reset(struct gpu *gpu);
/* Corrects state from a snapshot that no GPU can be in, and sets the supply to the saved clock. */
void gpu_meter_post_load(struct gpu *gpu);
/* Registers the energies under "gpu/power". */
void gpu_meter_register(struct gpu *gpu);

/* ---- record.c -------------------------------------------------------------------------------- */

/* Opens or makes the folder gpu_config.snapshots. */
bool gpu_record_open(const struct gpu *gpu, struct error *err);
/* Writes the snapshot of a chain that is about to run, if the folder is configured. */
void gpu_record_submit(struct gpu *gpu, unsigned slot, unsigned space, uint64_t head);

/* ---- perfcnt.c ------------------------------------------------------------------------------- */

/* Registers of the performance counters. false: there is none at `offset`. */
bool gpu_perfcnt_read(struct gpu *gpu, uint32_t offset, uint32_t *value);
bool gpu_perfcnt_write(struct gpu *gpu, uint32_t offset, uint32_t value);
void gpu_perfcnt_clear(struct gpu *gpu);
void gpu_perfcnt_dump(struct gpu *gpu);
bool gpu_perfcnt_active(const struct gpu *gpu);

#endif
