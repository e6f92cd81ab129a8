/*
 * The shader debugger as a server of GDB's remote protocol: each warp of the stopped work-group is
 * a thread. The target description has the registers of the shader ISA.
 *
 * GDB knows no such architecture, and needs one. The server borrows one of 64 bits: its registers
 * exist by name only, but for the program counter.
 */
#ifndef RUNTIME_DEBUG_REMOTE_H
#define RUNTIME_DEBUG_REMOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/error.h"
#include "runtime/debug/debug.h"

struct gpu_remote;

/* A register that the borrowed architecture must have. */
struct gpu_remote_register {
    char name[8];
    unsigned bits;
};

struct gpu_remote_config {
    const struct gpu_isa *isa;
    const char *kernel; /* NULL: not known */
    unsigned width;     /* lanes of a warp */
    /* the borrowed architecture: GDB's name, its feature with the registers, which have these
     * numbers; one is called "pc" */
    const char *architecture, *feature;
    const struct gpu_remote_register *registers;
    size_t register_count;
    unsigned process; /* number in a session with other processes; 0: it has one of its own */
};

/* Where bytes of the protocol come from and go to. */
struct gpu_remote_io {
    void *opaque;
    /* The next byte, or GDB_LINK_NOTHING, GDB_LINK_OPENED, GDB_LINK_CLOSED. */
    int (*get)(void *opaque, bool wait);
    void (*put)(void *opaque, const void *bytes, size_t len);
    /* A process of a session has these in place of `get`; the session gives it packets. */
    void (*stopped)(void *opaque); /* a job has stopped; GDB is told behind the call */
    bool (*serve)(void *opaque);   /* waits for packets, handles some; false: the program ends */
    bool (*interrupted)(void *opaque); /* whether GDB wants to stop, or is gone */
};

struct gpu_remote *gpu_remote_new(const struct gpu_remote_config *config,
                                  const struct gpu_remote_io *io);
void gpu_remote_free(struct gpu_remote *r);
/* The debugger that it serves, to be attached. */
struct gpu_debug *gpu_remote_debug(struct gpu_remote *r);
/* Serves GDB while no job runs: what comes when there are jobs now and then. False: GDB holds the
 * GPU, and no job may begin before it returns true. */
bool gpu_remote_serve(struct gpu_remote *r);
/* For a process of a session: GDB attaches and detaches, a packet has come, other processes have
 * stopped. */
void gpu_remote_attach(struct gpu_remote *r);
void gpu_remote_detach(struct gpu_remote *r);
void gpu_remote_packet(struct gpu_remote *r, const char *text);
void gpu_remote_halt(struct gpu_remote *r);
/* Tells GDB that the program has ended. */
void gpu_remote_end(struct gpu_remote *r, int status);

#endif
