/* Declarations for the files of the GDB server. */
#ifndef RUNTIME_CPU_GDB_INTERNAL_H
#define RUNTIME_CPU_GDB_INTERNAL_H

#include "runtime/base/bits.h"
#include "common/vec.h"
#include "runtime/cpu/debug.h"
#include "runtime/cpu/gdb.h"
#include "runtime/cpu/gdb_frame.h"
#include "runtime/cpu/gdb_link.h"

/* ---- registers (gdb_registers.c) ------------------------------------------------------------- */

/* A part of a register of GDB: bits of a register of the description. */
struct gdb_part {
    struct cpu_view view;
    unsigned bit, width; /* width 0: the whole register */
};

struct gdb_slot { /* a register of GDB, by its number */
    unsigned bytes;
    unsigned first_part, part_count;
};

struct gdb_registers {
    VEC(struct gdb_slot) slots;
    VEC(struct gdb_part) parts;
    size_t general;      /* number of registers in packets g and G */
    struct gdb_text xml; /* the target description */
};

/* Builds registers and target description, of `target` or, NULL, of the ISA. False with *err when a
 * source is not in the ISA. */
bool gdb_registers_init(struct gdb_registers *r, const struct cpu_isa *isa,
                        const struct gdb_target *target, struct error *err);
void gdb_registers_free(struct gdb_registers *r);
/* Register number n < slots.len; `value` has room for CPU_REGISTER_BYTES. */
void gdb_register_read(const struct gdb_registers *r, struct cpu *cpu, size_t n, uint8_t *value);
void gdb_register_write(const struct gdb_registers *r, struct cpu *cpu, size_t n,
                        const uint8_t *value);

/* ---- packets (gdb.c, gdb_packets.c, gdb_text.c) ---------------------------------------------- */

struct gdb {
    struct gdb_config config;
    struct gdb_link *link;
    struct gdb_registers registers;
    struct debug *debug;
    bool connected, no_ack, quit;
    bool stop_reply_pending; /* GDB waits for a stop reply */
    bool at_begin;           /* the last stop was the begin of the history */
    bool monitored; /* a command may have requested a reset, to be done before the next packet */
    unsigned g_cpu; /* index of the CPU of register and memory packets */
    unsigned c_cpu; /* index of the CPU of packets c and s; GDB_ALL: all */
    struct gdb_frame frame;
    unsigned process; /* GDB_CPUS: thread ids name processes; 0: they do not */
    struct {
        bool attached;
        bool selected; /* register and memory packets are for it */
        bool stopped;  /* in the midst of an event */
        bool alone;    /* GDB has resumed no CPU */
        bool told;     /* its threads are listed */
    } peer;
    bool left; /* GDB has detached from the CPUs, and not from the peer */
};

#define GDB_ALL (~0u)

/* Answers one packet for the CPUs; `text` is its terminated body. */
void gdb_packet(struct gdb *gdb, const char *text);
/* Answers one packet of a session that may have two processes. */
void gdb_dispatch(struct gdb *gdb, const char *text);
/* Ends the peer's part in the session. */
void gdb_leave_peer(struct gdb *gdb);
/* Says that the peer cannot go on while GDB has resumed nothing else, as a stop of it. */
void gdb_reply_idle_peer(struct gdb *gdb);
/* Lets the CPUs go on by the actions of a packet vCont, behind that word; those without one are
 * frozen. False: an action is wrong, and GDB knows. */
bool gdb_continue(struct gdb *gdb, const char *actions);
void gdb_print(struct gdb *gdb, const char *text, size_t len);
/* Lets the CPUs run without breakpoints. */
void gdb_attach_anew(struct gdb *gdb);
/* Sends a packet. */
void gdb_reply(struct gdb *gdb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gdb_reply_text(struct gdb *gdb, const struct gdb_text *t);
/* Sends a stop reply: why the CPUs have stopped. */
void gdb_reply_stop(struct gdb *gdb);

#endif
