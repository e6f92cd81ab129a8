/*
 * A machine, built from a device tree: memory, CPUs, devices and firmware, and what was loaded to
 * start it. One machine a process is usual, but nothing here is global.
 */
#ifndef RUNTIME_MACHINE_MACHINE_H
#define RUNTIME_MACHINE_MACHINE_H

#include <stdio.h>

#include "runtime/cpu/group.h"
#include "runtime/dev/device.h"
#include "runtime/display/display.h"
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
struct leave;
struct machine_timing;

#define MACHINE_MAX_BANKS 8

/* What is started, and where it lies. */
struct machine_boot {
    struct kernel kernel;
    struct file_bytes initrd;
    uint64_t initrd_at;
    uint64_t dtb_at;
};

/* A picture of the screen that is due at a time. */
struct machine_dump {
    struct machine *m;
    struct event event;
    const char *file;
};

/* What an option plugs into a device of the board. */
struct machine_plug {
    const char *option, *kind; /* "-nic" or "-drive", and the `model` or `if` there */
    struct net_backend *net;   /* one of these two, owned by the machine */
    struct disk *disk;
    uint8_t mac[6];
    bool taken;
};

struct machine {
    const struct platform *platform;
    const struct options *options;
    struct leave *leave; /* what Ctrl-A x asks, or NULL */
    struct platform_info info;
    struct cpu_choice choice; /* of -cpu, of every CPU */

    struct log log;
    struct clock clock;
    struct bus *bus;
    struct stats *stats;
    struct dt *dt; /* what the guest gets, indexed */

    unsigned bank_count;
    struct dt_bank banks[MACHINE_MAX_BANKS];
    unsigned cpu_count;
    struct cpu *cpus[DEVICE_MAX_CPUS];
    const struct dt_node *cpu_nodes[DEVICE_MAX_CPUS];
    struct machine_timing *timing; /* of -cpu-timing, or NULL */
    bool grouped;                  /* group was initialised */
    struct cpu_group group;
    struct jit *jit; /* NULL: interpreted only; ends with the group's code */

    VEC(struct machine_device *) devices; /* in the order of creation */
    VEC(struct irq_or *) gates;           /* an input of a controller, and what is wired to it */
    VEC(struct chardev *) chardevs;       /* in the order of -serial */
    VEC(struct virtio_function *) functions;
    bool entropy_asked; /* by a -device: else the last function, which does without a slot */
    VEC(struct machine_plug) plugs;
    struct display *display;
    struct vnc *vnc; /* NULL: nobody watches */
    VEC(struct machine_dump *) dumps;
    bool display_failed;           /* a picture could not be written */
    unsigned cards;                /* network cards that have an address so far */
    struct gpu_config gpu;         /* without a variant: none */
    const struct dt_node *console; /* the node of /chosen stdout-path, or NULL */
    struct firmware *firmware;
    struct debugger *debugger; /* NULL: none */
    struct machine_boot boot;

    bool stop, reset_wanted;
    int status; /* of the process, when stop is set */
};

/*
 * Builds the machine that the options ask for and loads its kernel. The arguments are borrowed and
 * must outlive it; `leave` may be NULL. Release with machine_free().
 */
struct machine *machine_new(const struct platform *platform, const struct options *options,
                            struct leave *leave, struct error *err);
void machine_free(struct machine *m);

/* Power-on: devices and CPUs in their reset state, memory loaded, the first CPU at the kernel. */
bool machine_reset(struct machine *m, struct error *err);

/* Runs until somebody asks for the end; returns the status of the process (machine_run.c). */
int machine_run(struct machine *m);

/* Ends machine_run() soon, with this status. */
void machine_stop(struct machine *m, int status);

/* Restarts the machine, or ends it under -no-reboot, at the end of the current turn. */
void machine_request_reset(struct machine *m);

/* Prints to stderr what is about to run (machine_announce.c). */
void machine_announce(const struct machine *m);

/* ---- parts, in files of their own ------------------------------------------------------------ */

/* machine_tree.c: the device tree that the guest gets, and banks and CPUs it has. */
bool machine_load_tree(struct machine *m, struct error *err);
bool machine_finish_tree(struct machine *m, struct error *err);

/* machine_gpu.c: gives the board's GPU node to the GPU of -gpu, or switches it off. */
bool machine_choose_gpu(struct machine *m, struct error *err);
/* Writes what the GPU counted to the folder of -stats. */
bool machine_write_gpu_stats(struct machine *m, struct error *err);

/*
 * machine_timing.c: -cpu-timing; without it these do nothing. Reads the numbers of the CPUs' kinds, before
 * the CPUs are made, of the ISA that the second one gives; the third, when they are in their group, sets their
 * speed and what memory takes.
 */
bool machine_timing_open(struct machine *m, struct error *err);
const struct cpu_isa *machine_timing_isa(const struct machine *m, unsigned cpu);
void machine_timing_apply(struct machine *m);
/* Cycles of a CPU so far, and what one takes; false: nothing is timed. */
bool machine_timing_cycles(const struct machine *m, unsigned cpu, uint64_t *cycles,
                           uint64_t *cycle_ps);
void machine_timing_register_stats(const struct machine *m);
/* After the CPUs are gone. */
void machine_timing_free(struct machine *m);

/* machine_display.c: the screen. Without anybody to look at it, the tree has no frame buffer of the
 * firmware's. */
bool machine_choose_display(struct machine *m, struct error *err);
/* Opens the live view, and plans pictures that are due at a time. */
bool machine_start_display(struct machine *m, struct error *err);
/* Writes a picture now. */
bool machine_dump_screen(const struct machine *m, const char *file, struct error *err);
/* Writes the pictures that are due at the end; false: one could not be written, now or before. */
bool machine_finish_display(struct machine *m);
/* Ends the view; before the devices go away. */
void machine_free_display(struct machine *m);

/* machine_boot.c: reads the files, finds places for them, loads them. */
bool machine_read_boot(struct machine *m, struct error *err);
bool machine_place_boot(struct machine *m, struct error *err);
void machine_free_boot(struct machine *m);
bool machine_load_boot(struct machine *m, struct error *err);

/* machine_backends.c: what devices are connected to outside. The functions come first: how many
 * there are decides how many slots the tree keeps. */
bool machine_open_functions(struct machine *m, struct error *err);
/* With more functions than slots, lets the entropy source go that nobody asked for. */
void machine_drop_spare_function(struct machine *m, size_t slots);
bool machine_open_consoles(struct machine *m, struct error *err);
void machine_close_backends(struct machine *m);

/*
 * Gives a device of the board what was asked for it: the card of `-nic model=NAME`, say; and at the
 * end, tells of what no device took.
 */
void machine_plug(struct machine *m, const struct dt_node *node, const struct device_class *cls,
                  struct device_env *env);
bool machine_all_plugged(const struct machine *m, struct error *err);

/* Whether a person or a network is at the other end, so that time should pass as outside. */
bool machine_is_interactive(const struct machine *m);

/* machine_stats.c: registers what is counted. */
void machine_register_stats(struct machine *m);

/* machine_devices.c: devices from nodes. */
bool machine_add_devices(struct machine *m, struct error *err);
void machine_reset_devices(struct machine *m);
/* Prints a line a device: its model, its node, and what it is compatible with. */
void machine_list_devices(const struct machine *m, FILE *out);
void machine_free_devices(struct machine *m);

/* The device of a class that exists first, or NULL. */
void *machine_find_device(const struct machine *m, const struct device_class *cls);

#endif
