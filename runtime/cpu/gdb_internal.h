/* What the files of the GDB server share. */
#ifndef RUNTIME_CPU_GDB_INTERNAL_H
#define RUNTIME_CPU_GDB_INTERNAL_H

#include "runtime/base/bits.h"
#include "runtime/base/vec.h"
#include "runtime/cpu/debug.h"
#include "runtime/cpu/gdb.h"

/* ---- connection (gdb_link.c) ----------------------------------------------------------------- */

struct gdb_link;

enum { GDB_LINK_NOTHING = -1, GDB_LINK_OPENED = 256, GDB_LINK_CLOSED = 257 };

/* Listens at the address; `clock` (may be NULL) is woken when something arrives. */
struct gdb_link *gdb_link_new(const char *address, struct clock *clock, struct error *err);
void gdb_link_free(struct gdb_link *link);
unsigned gdb_link_port(const struct gdb_link *link);

/* The next byte, or enum above. With `wait` it blocks rather than return GDB_LINK_NOTHING. */
int gdb_link_get(struct gdb_link *link, bool wait);
/* Sends bytes without waiting: what the client does not take yet is kept, and gdb_link_get() has no more of
 * its bytes while too much is. A broken connection is reported by gdb_link_get(). */
void gdb_link_put(struct gdb_link *link, const void *bytes, size_t len);

/* ---- text buffers ---------------------------------------------------------------------------- */

/* Text that grows. */
struct gdb_text {
    VEC(char) chars; /* not terminated */
};

void gdb_text_add(struct gdb_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gdb_text_hex(struct gdb_text *t, const void *bytes, size_t len);
/* Reads 2 * len hexadecimal digits; false when there are not so many. */
bool gdb_parse_hex(const char *text, void *bytes, size_t len);

/* ---- registers (gdb_registers.c) ------------------------------------------------------------- */

struct gdb_part {
    struct cpu_view view;
    unsigned bit, width; /* width 0: the whole register */
};

struct gdb_slot { /* a register by its number */
    unsigned bytes;
    unsigned first_part, parts;
};

struct gdb_registers {
    VEC(struct gdb_slot) slots;
    VEC(struct gdb_part) parts;
    size_t general;      /* how many the packets g and G carry */
    struct gdb_text xml; /* the target description */
};

bool gdb_registers_init(struct gdb_registers *r, const struct cpu_isa *isa,
                        const struct gdb_target *target, struct error *err);
void gdb_registers_free(struct gdb_registers *r);
/* `value` has room for CPU_REGISTER_BYTES; n is in range. */
void gdb_register_read(const struct gdb_registers *r, struct cpu *cpu, size_t n, uint8_t *value);
void gdb_register_write(const struct gdb_registers *r, struct cpu *cpu, size_t n,
                        const uint8_t *value);

/* ---- packets (gdb_packets.c) ----------------------------------------------------------------- */

enum { GDB_PACKET_MAX = 0x4000 };

struct gdb {
    struct gdb_config config;
    struct gdb_link *link;
    struct gdb_registers registers;
    struct debug *debug;
    bool connected, no_ack, quit;
    bool owes_stop; /* GDB waits for a stop reply */
    bool monitored; /* a command may have asked for a reset: the next packet is to see its effect */
    unsigned g_cpu; /* index of the CPU that register and memory packets mean */
    unsigned c_cpu; /* that c and s mean; GDB_ALL: all */

    char packet[GDB_PACKET_MAX + 1];
    size_t length;
    enum { GDB_IDLE, GDB_BODY, GDB_SUM_HIGH, GDB_SUM_LOW } state;
    uint8_t sum;
    char given[2]; /* the sum's digits */
};

#define GDB_ALL (~0u)

/* Answers one packet, whose text is terminated. */
void gdb_packet(struct gdb *gdb, const char *text);
/* Sends a packet. */
void gdb_reply(struct gdb *gdb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gdb_reply_text(struct gdb *gdb, const struct gdb_text *t);
/* Tells GDB why the CPUs stopped. */
void gdb_reply_stop(struct gdb *gdb);

#endif
