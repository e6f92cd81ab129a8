/*
 * The command line of a platform binary, after QEMU's: one dash or two. What an option means is in
 * the table of options.c, which is also `--help`.
 */
#ifndef RUNTIME_MACHINE_OPTIONS_H
#define RUNTIME_MACHINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/vec.h"
#include "runtime/dev/ninep.h"
#include "runtime/jit/jit.h"
#include "runtime/timing/model.h"

struct drive_option {
    char *file, *id;
    char *socket; /* `if=`, what it is plugged into; NULL: virtio */
    bool apart;   /* if=none: only a -device has it */
    bool taken;   /* some -device has it */
    bool read_only;
    bool snapshot; /* writes are forgotten at the end */
    bool raw;      /* format=raw: whatever the file looks like */
};

struct folder_option { /* a folder of the host */
    char *path, *id;
    char *tag;  /* what the guest mounts it by */
    bool apart; /* -fsdev: only a -device has it */
    bool taken; /* some -device has it */
    enum ninep_model model;
    bool read_only;
};

struct net_option {           /* user-mode network */
    char *model;              /* of the card, as in its compatible; NULL: virtio */
    VEC(char *) host_forward; /* "tcp:HOSTADDR:HOSTPORT-GUESTADDR:GUESTPORT" */
    bool restricted;          /* the guest reaches nothing outside */
    char *id;
    bool taken; /* some -device has it */
    bool has_mac;
    uint8_t mac[6]; /* else the next free one */
};

enum virtio_device { VIRTIO_DEVICE_BLK, VIRTIO_DEVICE_NET, VIRTIO_DEVICE_9P, VIRTIO_DEVICE_RNG };

struct device_option { /* -device: what stands in a virtio slot */
    enum virtio_device kind;
    char *backend; /* the id that it names, or NULL */
    char *extra;   /* mac or mount_tag, or NULL */
    size_t index;  /* of the drive, the network or the folder, after options_parse() */
};

struct screendump_option {
    char *file;
    uint64_t when; /* virtual ns, CLOCK_NEVER: at the end */
};

struct gpu_variant;

#define MAX_GPU_THREADS 256

enum clock_mode {
    CLOCK_AUTO,    /* host when a person or a network is at the other end, else virtual */
    CLOCK_VIRTUAL, /* waiting takes no host time: two runs are alike */
    CLOCK_HOST,    /* waiting takes as long as on a real machine */
};

struct options {
    /* Texts that are borrowed from the command line; NULL: not given. */
    const char *board, *cpu, *kernel, *initrd, *append, *dtb;
    const char *log_channels, *log_file, *stats_dir, *dump_dtb;
    const char *gpu_snapshots; /* folder for a snapshot of each job chain */

    VEC(struct drive_option) drives;
    VEC(struct net_option) nets;
    VEC(struct folder_option) folders;
    VEC(struct device_option) devices;
    VEC(char *) serials;
    VEC(struct screendump_option) screendumps;
    char *vnc;                     /* "[HOST]:N" of -display, NULL: none */
    const struct gpu_variant *gpu; /* NULL: the one that the board's tree names, unless no_gpu */
    uint64_t gpu_threads;          /* host threads of its shader cores, 1..MAX_GPU_THREADS */
    uint64_t gpu_translate;        /* executions of a bundle until it is translated; 0: never */
    bool gpu_timed;                /* its jobs take the time of a model: */
    enum timing_fidelity gpu_fidelity;
    uint64_t gpu_snapshot_bytes; /* that all of them may take */
    unsigned cpus;               /* 1..DEVICE_MAX_CPUS */
    uint64_t memory;             /* bytes, a multiple of 1 MB */

    char *gdb;           /* "tcp:HOST:PORT", NULL: none */
    bool snapshot;       /* of all drives */
    bool no_gpu;         /* -gpu none */
    bool list_gpus;      /* -gpu help */
    bool list_devices;   /* -device help */
    bool terminal_taken; /* by a -serial stdio */
    bool wait_gdb;       /* do not start before a debugger says so */
    bool no_reboot;      /* a reset ends the simulation */
    bool semihosting;    /* serve it */
    bool no_kaslr;       /* leave kaslr-seed out */
    bool host_random;    /* seeds come from the host */
    uint64_t seed;
    bool cpu_timing;
    uint64_t ps_per_tick; /* virtual picoseconds a tick takes; 0: as the platform says */
    uint64_t start_time;  /* seconds since 1970 that the real-time clock shows at power-on */
    uint64_t limit_ns;    /* virtual time at which the simulation ends, CLOCK_NEVER: none */
    enum clock_mode clock;
    struct jit_options jit;
};

enum options_result {
    OPTIONS_RUN,
    OPTIONS_DONE,  /* help or the version was printed: exit with 0 */
    OPTIONS_WRONG, /* err tells: exit with 2 */
};

/*
 * Reads the command line, which ends with NULL and must stay. `name` is the program's and `summary`
 * the platform's, for --help. Release with options_free() in any case.
 */
enum options_result options_parse(struct options *o, const char *name, const char *summary,
                                  char **argv, struct error *err);
void options_free(struct options *o);

#endif
