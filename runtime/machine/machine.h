/*
 * A machine, built from a device tree: memory, CPUs, devices, firmware, and the files that were
 * loaded to start it. A process usually has one machine, but nothing here is global.
 */
#ifndef RUNTIME_MACHINE_MACHINE_H
#define RUNTIME_MACHINE_MACHINE_H

#include <stdio.h>

#include "runtime/cpu/group.h"
#include "runtime/dev/device.h"
#include "runtime/display/display.h"
#include "runtime/gpu/core_policy.h"
#include "runtime/gpu/gpu.h"
#include "runtime/machine/dt_edit.h"
#include "runtime/machine/loaders.h"
#include "runtime/machine/options.h"
#include "runtime/machine/platform.h"

struct chardev;
struct virtio_function;
struct machine;
struct machine_device;
struct firmware;
struct debugger;
struct gpu_debugger;
struct json_t;
struct kernel_names;
struct leave;
struct machine_jobs;
struct machine_progress;
struct machine_sampler;
struct machine_snapshots;
struct history;
struct machine_timing;
struct state_buf;
struct timing_mesh;
struct programs;
struct report;

#define MACHINE_MAX_BANKS 8

/* The loaded files and their physical addresses. */
struct machine_boot {
    struct kernel kernel;
    struct file_bytes initrd;
    uint64_t initrd_at;
    uint64_t dtb_at;
};

/* A picture of the screen, to be written at a virtual time. */
struct machine_dump {
    struct machine *m;
    struct event event;
    const char *file;
};

/* A back end that an option connects to a device of the board. */
struct machine_plug {
    const char *option, *kind; /* "-nic" or "-drive", and its `model` or `if` */
    struct net_backend *net;   /* either `net` or `disk` is set; owned by the machine */
    struct disk *disk;
    uint8_t mac[6];
    bool taken;
};

/* Interface of the monitor to the machine, which does not include the monitor's headers. */
struct machine_watch {
    void *opaque; /* NULL: only `command` is set */
    /* Called each turn; executes a command, if one has arrived. */
    void (*serve)(void *opaque);
    /* As chardev_host.monitor; NULL: the monitor is not behind Ctrl-A c. */
    void (*keys)(void *opaque, const uint8_t *bytes, size_t len);
    void (*close)(void *opaque); /* after the serial ports are closed */
    /* As gdb_config.monitor, with the machine. */
    void (*command)(void *machine, struct cpu *cpu, const char *line, FILE *out);
};

enum machine_back {
    MACHINE_BACK_STOPPED, /* debug_last_stop() says why */
    MACHINE_BACK_BEGIN,   /* at the begin of the history */
    MACHINE_BACK_FAILED,  /* *err says why; the machine cannot go on */
};

/* Interface of the history to the machine's loop and debugger, which do not include its header. */
struct machine_history {
    /* Before each turn, and before the debugger is served. */
    void (*serve)(struct machine *m);
    /* The CPUs are about to run: they stop at the end of the past. */
    void (*set_end)(struct machine *m);
    /* Goes back: to before the last instruction of `cpu`; with NULL to the last stop. */
    enum machine_back (*back)(struct machine *m, struct cpu *cpu, struct error *err);
    /* Whether a debugger may change the machine; if so, it is about to. */
    bool (*may_change)(struct machine *m);
    /* The CPUs resume while machine.in_shader: goes to the begin of the next turn. */
    void (*leave_shader)(struct machine *m);
};

struct machine {
    const struct platform *platform;
    const struct options *options;
    struct leave *leave; /* the way out of Ctrl-A x and signals, or NULL */
    struct platform_info info;
    struct cpu_choice choice; /* from -cpu, for every CPU */

    struct log log;
    struct clock clock;
    struct bus *bus;
    struct stats *stats;
    struct dt *dt; /* the guest's device tree, indexed */

    unsigned bank_count;
    struct dt_bank banks[MACHINE_MAX_BANKS];
    unsigned cpu_count;
    struct cpu *cpus[DEVICE_MAX_CPUS];
    const struct dt_node *cpu_nodes[DEVICE_MAX_CPUS];
    struct machine_timing *timing; /* NULL: no -cpu-timing */
    struct timing_mesh *mesh;      /* distributed memory with times of its own; NULL: none */
    uint64_t mesh_turn;            /* ticks of a turn of the CPUs with such memory */
    bool grouped;                  /* `group` is initialised */
    struct cpu_group group;
    struct jit *jit; /* NULL: interpreter only; freed with the group's code cache */

    VEC(struct machine_device *) devices; /* in the order of creation */
    VEC(struct irq_or *) gates;           /* gates, one per controller input that has a device */
    VEC(struct chardev *) chardevs;       /* in the order of -serial */
    VEC(struct virtio_function *) functions;
    bool entropy_asked; /* by -device; else the entropy source is the last function, and optional */
    VEC(struct machine_plug) plugs;
    VEC(struct net_backend *) nets; /* of all cards, in the order of -nic; borrowed */
    VEC(struct disk *) disks;       /* of all drives, in the order of their making; borrowed */
    struct display *display;
    struct vnc *vnc; /* NULL: no live view */
    VEC(struct machine_dump *) dumps;
    bool display_failed;             /* a picture could not be written */
    unsigned cards;                  /* network cards that have an address so far */
    struct gpu_config gpu;           /* without a variant: no GPU */
    struct report *report;           /* report of the GPU's jobs; NULL: not requested */
    struct kernel_names *names;      /* names of the GPU's kernels; NULL: not given */
    struct gpu_core_plan *core_plan; /* -gpu-cores; NULL: not given */
    struct gpu_core_policy core_policy;
    struct gpu_supply supply; /* the GPU's clock and voltage */
    struct machine_progress *progress;
    struct machine_jobs *jobs; /* the last jobs; NULL: no monitor or debugger can request them */
    struct machine_sampler *sampler; /* NULL: neither a timeline nor a report is wanted */
    const struct dt_node *console;   /* the node of /chosen stdout-path, or NULL */
    struct firmware *firmware;
    struct debugger *debugger;         /* NULL: none */
    struct gpu_debugger *gpu_debugger; /* NULL: none */
    struct machine_watch watch;
    bool paused;                         /* by the monitor */
    struct machine_snapshots *snapshots; /* NULL: none is to be taken or loaded (snapshot.h) */
    struct journal *journal;             /* of -record or -replay; NULL: neither (replay.h) */
    uint64_t turn;                       /* turns so far, for the journal */
    bool in_turn; /* the debugger stopped in the midst of a turn (with a journal) */
    bool
        in_shader; /* the history stopped in the midst of a GPU's job; it cannot go on from there */
    struct history *history;                  /* of -reverse; NULL: none (history.h) */
    const struct machine_history *going_back; /* NULL: no history */
    uint64_t start_time;                      /* as in the options, or as recorded */
    struct machine_boot boot;

    bool stop, reset_wanted;
    int status; /* exit status of the process, when stop is set */
};

/*
 * Builds the machine of the options and loads its kernel. The arguments are borrowed and must
 * outlive the machine; `leave` may be NULL. `watch` sets m->watch; it is called when the CPUs are
 * there and the serial ports are not. Release with machine_free().
 */
struct machine *machine_new(const struct platform *platform, const struct options *options,
                            struct leave *leave,
                            bool (*watch)(struct machine *m, struct error *err), struct error *err);
void machine_free(struct machine *m);

/* Power-on: resets devices and CPUs, loads memory, and sets the first CPU to the kernel's entry. */
bool machine_reset(struct machine *m, struct error *err);

/* Runs until machine_stop(); returns the exit status of the process (machine_run.c). */
int machine_run(struct machine *m);

/* Runs one turn, or what is left of one, and serves a reset that was requested. False: all CPUs
 * wait, and there is no event. */
bool machine_turn(struct machine *m);

/* Ends machine_run() at the end of the current turn, with this status (machine_stop.c). */
void machine_stop(struct machine *m, int status);

/* Restarts the machine, or ends it under -no-reboot, at the end of the current turn. */
void machine_request_reset(struct machine *m);

/* Prints to stderr what is about to run (machine_announce.c). */
void machine_announce(const struct machine *m);

/* ---- parts, in files of their own ------------------------------------------------------------ */

/* machine_tree.c: the guest's device tree, with its memory banks and CPUs. */
bool machine_load_tree(struct machine *m, struct error *err);
bool machine_finish_tree(struct machine *m, struct error *err);

/* machine_gpu.c: sets the board's GPU node to the GPU of -gpu, or disables it. */
bool machine_choose_gpu(struct machine *m, struct error *err);
/* machine_progress.c: prints on a terminal how far long jobs are. To be called after the GPU is
 * chosen and before devices are made. */
void machine_open_progress(struct machine *m);
void machine_free_progress(struct machine *m);
/* machine_jobs.c: keeps the GPU's last jobs if a monitor or debugger can request them. To be called
 * after the GPU is chosen and before devices are made. */
void machine_open_jobs(struct machine *m);
void machine_free_jobs(struct machine *m);
/* Prints the last `count` jobs at most, in the order of their ends: one line per job, as of
 * -d gpu_job. */
void machine_print_jobs(const struct machine *m, uint64_t count, FILE *out);
/*
 * machine_sampler.c: -timeline, and system.json of -stats. The state of the CPUs is sampled after
 * each turn. The sampler is opened after CPUs and before devices are made; without these options it
 * does nothing.
 */
bool machine_open_sampler(struct machine *m, struct error *err);
/* At each start of the machine, when the kernel is in memory. */
void machine_restart_sampler(struct machine *m);
void machine_sample(struct machine *m);
/* Writes them. */
bool machine_finish_sampler(struct machine *m, struct error *err);
void machine_free_sampler(struct machine *m);
/* The programs that CPUs were seen in, for the report; NULL: not known. */
const struct programs *machine_programs(const struct machine *m);
/* machine_report.c: observes the GPU for -report. */
bool machine_open_report(struct machine *m, struct error *err);
/* Writes the report. Without effect if there is none. */
bool machine_finish_report(struct machine *m, struct error *err);
/* What system.json holds; NULL: without -stats. The reference is the caller's. */
struct json_t *machine_system_json(const struct machine *m);
/* Writes the GPU's statistics to the folder of -stats. */
bool machine_write_gpu_stats(struct machine *m, struct error *err);

/*
 * machine_timing.c: -cpu-timing; without it these functions do nothing. machine_timing_open() reads
 * the timing of each kind of CPU, and is called before the CPUs are made, with the ISA that
 * machine_timing_isa() returns. machine_timing_apply() is called when the CPUs are in their group;
 * it sets their speed and the time of memory accesses.
 */
bool machine_timing_open(struct machine *m, struct error *err);
const struct cpu_isa *machine_timing_isa(const struct machine *m, unsigned cpu);
void machine_timing_apply(struct machine *m);
/* Cycles of a CPU so far, and picoseconds per cycle; false: without -cpu-timing. */
bool machine_timing_cycles(const struct machine *m, unsigned cpu, uint64_t *cycles,
                           uint64_t *cycle_ps);
void machine_timing_register_stats(const struct machine *m);
/* What caches, streams and ports hold, in a snapshot. A load sets it only with `apply`. */
void machine_timing_save(const struct machine *m, struct state_buf *buf);
bool machine_timing_load(struct machine *m, const struct state_buf *buf, bool apply,
                         struct error *err);
/* To be called after the CPUs are freed. */
void machine_timing_free(struct machine *m);

/*
 * machine_mesh.c: the times of the node `gencc,mesh-memory`, for machine_timing.c. m->mesh stays
 * NULL without such a node. machine_mesh_access() is for addresses that the mesh has, and returns
 * picoseconds.
 */
bool machine_mesh_open(struct machine *m, struct error *err);
uint64_t machine_mesh_access(struct machine *m, unsigned cpu, uint64_t pa, bool write);
void machine_mesh_register_stats(const struct machine *m);
void machine_mesh_free(struct machine *m);

/* machine_display.c: the screen. Without -display and -screendump the firmware's frame buffer is
 * removed from the tree. */
bool machine_choose_display(struct machine *m, struct error *err);
/* Opens the live view, and schedules the pictures of a given time. */
bool machine_start_display(struct machine *m, struct error *err);
/* Writes a picture now. */
bool machine_dump_screen(const struct machine *m, const char *file, struct error *err);
/* Writes the pictures of the end; false: a picture could not be written, now or earlier. */
bool machine_finish_display(struct machine *m);
/* Ends the live view. To be called before the devices are freed. */
void machine_free_display(struct machine *m);

/* machine_boot.c: reads the files, chooses their addresses, loads them. */
bool machine_read_boot(struct machine *m, struct error *err);
bool machine_place_boot(struct machine *m, struct error *err);
void machine_free_boot(struct machine *m);
bool machine_load_boot(struct machine *m, struct error *err);

/* machine_backends.c: back ends of devices. The virtio functions are opened first, since their
 * number decides how many slots the tree keeps. */
bool machine_open_functions(struct machine *m, struct error *err);
/* Frees the entropy source if no -device names it and there are more functions than slots. */
void machine_drop_spare_function(struct machine *m, size_t slots);
bool machine_open_consoles(struct machine *m, struct error *err);
void machine_close_backends(struct machine *m);

/*
 * machine_plug() connects a device of the board to the back end that an option names for it, such
 * as `-nic model=NAME`. machine_all_plugged() is called after all devices are made. False: the
 * board has no device for one of these options.
 */
void machine_plug(struct machine *m, const struct dt_node *node, const struct device_class *cls,
                  struct device_env *env);
bool machine_all_plugged(const struct machine *m, struct error *err);

/* Whether a person or a network is connected, so that virtual time should follow host time. */
bool machine_is_interactive(const struct machine *m);

/* machine_stats.c: registers the statistics that no device registers. */
void machine_register_stats(struct machine *m);

/* machine_devices.c: devices from nodes. */
bool machine_add_devices(struct machine *m, struct error *err);
void machine_reset_devices(struct machine *m);
/* Prints one line per device: its model, its node, and its compatible. */
void machine_list_devices(const struct machine *m, FILE *out);
void machine_free_devices(struct machine *m);

/* A device as snapshots see it. */
struct machine_part {
    void *dev;
    const struct device_class *cls;
    const char *path;
};
/* The `index`-th device in the order of creation; false: there are fewer. `dev` NULL: its model was
 * not made. */
bool machine_part(const struct machine *m, size_t index, struct machine_part *part);

/* The first device of a class, or NULL. */
void *machine_find_device(const struct machine *m, const struct device_class *cls);

#endif
