/*
 * A server for GDB's remote serial protocol over TCP: all-stop, one thread per CPU. Source: the GDB
 * manual, appendix "GDB Remote Serial Protocol" and "Target Descriptions".
 *
 * The machine's loop calls gdb_serve() before each cpu_group_turn(), and follows its verdict. A
 * host thread reads the socket and wakes a waiting machine (clock_post) when GDB has sent
 * something.
 */
#ifndef RUNTIME_CPU_GDB_H
#define RUNTIME_CPU_GDB_H

#include <stdio.h>

#include "runtime/cpu/group.h"

/*
 * A register of GDB. `source` names the registers of the description that it shows: one name
 * ("X0"), or parts as NAME@BIT:WIDTH with spaces between ("NF@31:1 ZF@30:1"). Bits that no part
 * covers read as zero and ignore writes.
 */
struct gdb_register {
    const char *name;
    unsigned bits; /* a multiple of 8, at most 128 */
    const char *type;
    const char *source;
};

/* A feature of the target description, in GDB's terms; the order of registers is GDB's. */
struct gdb_feature {
    const char *name;
    const char *types; /* XML of types that its registers use, or NULL */
    const struct gdb_register *registers;
    unsigned count;
};

struct gdb_target {
    const char *architecture; /* as GDB names it */
    const struct gdb_feature *features;
    unsigned count;
};

enum gdb_back {
    GDB_BACK_STOPPED, /* debug_last_stop() says why */
    GDB_BACK_BEGIN,   /* there is no more history */
    GDB_BACK_FAILED,
};

/*
 * Another process of GDB's session, such as the shaders of a GPU: GDB may attach to it by its
 * number, GDB_PEER, and detach. It is all-stop for both: when one stops, GDB takes the other for
 * stopped. The peer stops within an event of the machine (gdb_peer_stopped()); while it does not,
 * it goes on whenever the CPUs do.
 */
struct gdb_peer {
    void *opaque;
    bool (*attach)(void *opaque, struct error *err); /* NULL: there is no such process */
    void (*detach)(void *opaque);
    /* Answers a packet, whose threads are its own or have no process. */
    void (*packet)(void *opaque, const char *text);
    /* The CPUs have stopped, and GDB waits no more. */
    void (*halt)(void *opaque);
    /* Whether it may stop by itself as virtual time passes. */
    bool (*is_busy)(void *opaque);
    /* What GDB's user reads when only the CPUs, or only the peer, are to go on and cannot. */
    const char *held, *idle;
};

enum { GDB_CPUS = 1, GDB_PEER = 2 }; /* the numbers of processes */

struct gdb_config {
    struct cpu_group *group; /* all CPUs run the ISA of the first */
    /* NULL: GDB has the description's registers by their own names, and the user must set the
     * architecture. System registers are always the feature "gencc.sysregs", in lower case. */
    const struct gdb_target *target;
    const char *address; /* "tcp:HOST:PORT"; no host: 127.0.0.1; port 0: any free one */
    bool stopped;        /* -S: the CPUs are stopped until GDB continues them */
    struct log *log;
    /* Executes GDB's `monitor LINE` for the CPU of the current thread, and prints to `out` what GDB
     * shows. NULL: the command is not supported. */
    void (*monitor)(void *opaque, struct cpu *cpu, const char *line, FILE *out);
    void *monitor_opaque;
    /* Whether runs with stops are the same as runs without (debug_set_exact()). */
    bool exact;
    /* Goes back by an instruction of the CPU, or, with NULL, to the last stop; NULL: reverse
     * execution is not supported. Called while the CPUs are stopped. */
    enum gdb_back (*back)(void *opaque, struct cpu *cpu);
    /* Whether GDB may change registers and memory now. NULL: always. */
    bool (*may_change)(void *opaque);
    void *back_opaque;
    struct gdb_peer peer;
};

struct gdb;

/* Opens the port. The configuration is copied; what it points to must outlive the server. NULL with
 * *err when the address or the target is wrong. */
struct gdb *gdb_new(const struct gdb_config *config, struct error *err);

/* Closes the connection and lets the CPUs run without breakpoints; before cpu_group_free(). NULL is
 * allowed. */
void gdb_free(struct gdb *gdb);

/* Whether a client is connected. */
bool gdb_is_connected(const struct gdb *gdb);

/* Whether GDB's user wants to stop, or GDB is gone, while gdb_config.back runs. */
bool gdb_is_interrupted(struct gdb *gdb);

/* The server's TCP port. */
unsigned gdb_port(const struct gdb *gdb);

enum gdb_verdict {
    GDB_RUN,   /* call cpu_group_turn() */
    GDB_WAIT,  /* the CPUs are stopped: call again after clock_wait_posted() */
    GDB_AGAIN, /* handle requests to the machine, such as a monitor's reset, and call again */
    GDB_END,   /* GDB has killed the machine: end it */
};

/* Handles the packets that have arrived. Without a clock it waits for GDB itself and never returns
 * GDB_WAIT. */
enum gdb_verdict gdb_serve(struct gdb *gdb);

/* The peer has stopped, in an event: the CPUs count as stopped. Until the peer resumes, packets are
 * handled by gdb_serve_peer(): one item, without waiting. GDB_WAIT: there is none yet. */
void gdb_peer_stopped(struct gdb *gdb);
enum gdb_verdict gdb_serve_peer(struct gdb *gdb);
/* Sends a packet of the peer's, framed. */
void gdb_put(struct gdb *gdb, const void *frame, size_t len);

#endif
