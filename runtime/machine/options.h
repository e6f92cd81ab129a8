/*
 * The command line of a platform binary, after QEMU's: one dash or two. What an option means is in
 * the table of options.c, which is also `--help`.
 */
#ifndef RUNTIME_MACHINE_OPTIONS_H
#define RUNTIME_MACHINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "common/vec.h"
#include "runtime/dev/ninep.h"
#include "runtime/jit/jit.h"
#include "runtime/timing/power.h"

struct drive_option {
    char *file, *id;
    char *socket; /* `if=`, the device of the board; NULL: virtio */
    bool apart;   /* if=none: needs a -device */
    bool taken;   /* some -device has it */
    bool read_only;
    bool snapshot; /* writes are discarded at the end */
    bool raw;      /* format=raw: the format is not detected */
    bool qcow2;    /* format=qcow2: nothing else is taken */
};

struct folder_option { /* a folder of the host */
    char *path, *id;
    char *tag;  /* mount tag in the guest */
    bool apart; /* -fsdev: needs a -device */
    bool taken; /* some -device has it */
    enum ninep_model model;
    bool read_only;
};

struct net_option {           /* user-mode network */
    char *model;              /* the card's model, as in its compatible; NULL: virtio */
    VEC(char *) host_forward; /* "tcp:HOSTADDR:HOSTPORT-GUESTADDR:GUESTPORT" */
    bool restricted;          /* the guest cannot reach the host's network */
    char *id;
    bool taken; /* some -device has it */
    bool has_mac;
    uint8_t mac[6]; /* used if given, else the next free address */
};

enum virtio_device {
    VIRTIO_DEVICE_BLK,
    VIRTIO_DEVICE_NET,
    VIRTIO_DEVICE_9P,
    VIRTIO_DEVICE_RNG,
    VIRTIO_DEVICE_GPU,
};

struct device_option { /* -device: the function of a virtio slot */
    enum virtio_device kind;
    char *backend;          /* id of its drive, network or folder, or NULL */
    char *extra;            /* mac or mount_tag, or NULL */
    size_t index;           /* index of the drive, network or folder; set by options_parse() */
    uint64_t width, height; /* of a screen, in pixels */
};

struct screendump_option {
    char *file;
    uint64_t when; /* virtual ns, CLOCK_NEVER: at the end */
};

struct gpu_variant;

#define MAX_GPU_THREADS 256

enum clock_mode {
    CLOCK_AUTO,    /* CLOCK_HOST if a person or a network is connected, else CLOCK_VIRTUAL */
    CLOCK_VIRTUAL, /* waiting takes no host time, and runs are equal */
    CLOCK_HOST,    /* waiting takes as long as on a real machine */
};

struct options {
    /* Borrowed from the command line; NULL: not given. */
    const char *board, *cpu, *kernel, *initrd, *append, *dtb;
    const char *log_channels, *log_file, *stats_dir, *dump_dtb;
    const char *loadvm, *snapshot_dir;
    const char *record, *replay; /* files of -record and -replay */
    char *icount_file;           /* the one of them that -icount named */
    const char *gpu_snapshots;   /* folder for a snapshot of each job chain */
    const char *report;          /* folder of -report */

    VEC(char *) words;        /* the command line behind the program's name; its last is NULL */
    VEC(char *) sources;      /* files of -report-source */
    const char *gpu_names;    /* file with names of kernels */
    const char *shader_cache; /* as file_cache_choose() has it */
    const char *gpu_cores;    /* plan of shader cores, NULL: none */

    VEC(struct drive_option) drives;
    VEC(struct net_option) nets;
    VEC(struct folder_option) folders;
    VEC(struct device_option) devices;
    VEC(char *) serials;
    VEC(struct screendump_option) screendumps;
    char *vnc;                     /* "[HOST]:N" of -display, NULL: none */
    const struct gpu_variant *gpu; /* NULL: the GPU that the board's tree names, unless no_gpu */
    uint64_t gpu_threads;          /* host threads of the shader cores, 1..MAX_GPU_THREADS */
    uint64_t gpu_translate;        /* executions of a bundle until it is translated; 0: never */
    bool gpu_timed;                /* jobs take the time that a time model predicts */
    enum timing_fidelity gpu_fidelity;
    bool gpu_power;               /* the GPU's energy is metered */
    struct power_point gpu_clock; /* mhz 0: the GPU's own; millivolt 0: by its operating points */
    bool gpu_guest_clock;         /* the guest's device tree has the operating points */
    uint64_t gpu_snapshot_bytes;  /* most bytes of all snapshots */
    unsigned cpus;                /* 1..DEVICE_MAX_CPUS */
    uint64_t memory;              /* bytes, a multiple of 1 MB */

    char *monitor;       /* "none", a socket or a serial back end; NULL: Ctrl-A c */
    char *gdb;           /* "tcp:HOST:PORT", NULL: none */
    char *gpu_gdb;       /* the same, for shaders */
    bool snapshot;       /* set drive_option.snapshot for all drives */
    bool no_gpu;         /* -gpu none */
    bool list_gpus;      /* -gpu help */
    bool list_devices;   /* -device help */
    bool terminal_taken; /* -serial stdio or -monitor stdio uses the terminal */
    bool wait_gdb;       /* wait for debugger or monitor before the first instruction */
    bool no_reboot;      /* a reset ends the simulation */
    bool semihosting;    /* -semihosting */
    bool no_kaslr;       /* /chosen gets no kaslr-seed */
    bool host_random;    /* seeds come from the host's random numbers */
    uint64_t seed;
    bool cpu_timing;
    uint64_t ps_per_tick; /* virtual picoseconds per tick; 0: the platform's */
    uint64_t start_time;  /* seconds since 1970 that the real-time clock shows at power-on */
    uint64_t limit_ns;    /* virtual time at which the simulation ends, CLOCK_NEVER: none */
    enum clock_mode clock;
    bool reverse;                         /* -reverse */
    uint64_t reverse_every;               /* instructions between snapshots in memory */
    uint64_t reverse_keep, reverse_bytes; /* most of them, and their most bytes */
    uint64_t snapshot_every;              /* virtual ns between automatic snapshots; 0: none */
    char *timeline;                       /* file of -timeline, NULL: none */
    uint64_t timeline_from, timeline_for; /* virtual ns; CLOCK_NEVER: to the end */
    uint64_t timeline_events, timeline_warps;
    struct jit_options jit;
};

enum options_result {
    OPTIONS_RUN,
    OPTIONS_DONE,  /* help or the version was printed: exit with 0 */
    OPTIONS_WRONG, /* err has the message: exit with 2 */
};

/*
 * Reads the command line, which ends with NULL and must outlive `o`. `name` is the program's and
 * `summary` the platform's, for --help. Release with options_free() after any result.
 */
enum options_result options_parse(struct options *o, const char *name, const char *summary,
                                  char **argv, struct error *err);
void options_free(struct options *o);

#endif
