/*
 * Packets of GDB's remote protocol as bytes: text that grows, frames with their sums. A server of
 * any target uses them.
 */
#ifndef RUNTIME_CPU_GDB_FRAME_H
#define RUNTIME_CPU_GDB_FRAME_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

/* ---- text ------------------------------------------------------------------------------------ */

/* A text buffer that grows. Free chars with vec_free(). */
struct gdb_text {
    VEC(char) chars; /* not terminated */
};

/* Appends formatted text; bytes as hexadecimal digits. */
void gdb_text_add(struct gdb_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gdb_text_add_list(struct gdb_text *t, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
void gdb_text_hex(struct gdb_text *t, const void *bytes, size_t len);
/* Appends a packet for GDB's console with as much of the text as it holds; returns how much. */
size_t gdb_text_console(struct gdb_text *t, const char *text, size_t len);
/* Reads 2 * len hexadecimal digits; false when there are fewer. */
bool gdb_parse_hex(const char *text, void *bytes, size_t len);

/* ---- words of packets ------------------------------------------------------------------------ */

/* If *text begins with the word, moves *text behind it. */
bool gdb_skip_prefix(const char **text, const char *word);

/* ---- thread ids ------------------------------------------------------------------------------ */

#define GDB_EVERY UINT64_MAX

/* A thread of a process: p2.1f, or 1f where processes have no names. 0: any; GDB_EVERY: all. */
struct gdb_thread {
    uint64_t process, thread;
};

/* Reads an id at *text and moves *text behind it. */
bool gdb_parse_thread(const char **text, struct gdb_thread *id);
/* Appends one; process 0: without it. */
void gdb_text_thread(struct gdb_text *t, unsigned process, uint64_t thread);

/* ---- frames ---------------------------------------------------------------------------------- */

enum {
    GDB_PACKET_MAX = 0x4000,
    GDB_INTERRUPT = 0x03, /* the byte of Ctrl-C, outside of packets */
};

/* What a byte completes. */
enum gdb_frame_event {
    GDB_FRAME_NOTHING,
    GDB_FRAME_PACKET,    /* `packet` is whole, and terminated */
    GDB_FRAME_DAMAGED,   /* the same, with a sum that is not its own */
    GDB_FRAME_INTERRUPT, /* Ctrl-C, outside of packets */
};

/* The packet that is arriving. A zeroed one is idle. */
struct gdb_frame {
    char packet[GDB_PACKET_MAX + 1];
    size_t length;
    enum { GDB_IDLE, GDB_BODY, GDB_SUM_HIGH, GDB_SUM_LOW } state;
    uint8_t sum;
    char given[2]; /* digits of the checksum, as received */
};

/* Takes the next byte. A packet longer than GDB_PACKET_MAX is dropped. */
enum gdb_frame_event gdb_frame_take(struct gdb_frame *f, uint8_t byte);
/* Appends the frame of a packet to `out`: its text escaped, and its sum. */
void gdb_frame_wrap(const struct gdb_text *packet, struct gdb_text *out);

#endif
