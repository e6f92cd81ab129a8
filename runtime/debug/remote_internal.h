/* Declarations for the files of the server. */
#ifndef RUNTIME_DEBUG_REMOTE_INTERNAL_H
#define RUNTIME_DEBUG_REMOTE_INTERNAL_H

#include "runtime/cpu/gdb_frame.h"
#include "runtime/debug/internal.h"
#include "runtime/debug/remote.h"

/* A breakpoint of packets Z. */
struct remote_point {
    uint64_t type, va, bytes;
    unsigned number;
};

struct gpu_remote {
    struct gpu_remote_config config;
    struct gpu_remote_io io;
    struct gpu_debug *debug;
    struct gdb_frame frame;
    struct gpu_remote_register *registers; /* copies */
    struct gdb_text xml;
    VEC(struct remote_point) points;
    bool connected, no_ack, says_why;
    bool pending;               /* GDB waits for a stop reply */
    bool resumed;               /* the job goes on */
    bool held;                  /* no job runs, and none may begin */
    uint64_t thread;            /* of register packets */
    enum gpu_debug_motion step; /* what a step is */
};

/* ---- remote.c -------------------------------------------------------------------------------- */

/* Sends a packet with the text. */
void remote_reply_text(struct gpu_remote *r, const struct gdb_text *t);
/* The same with a text that ends with 0. */
void remote_reply(struct gpu_remote *r, const char *text);
/* Text for GDB's user. */
void remote_print(struct gpu_remote *r, const char *text, size_t len);
/* A client has connected. */
void remote_opened(struct gpu_remote *r);
/* Removes all breakpoints, and lets jobs run. */
void remote_leave(struct gpu_remote *r);
/* Appends the id of a thread of this process. */
void remote_thread(const struct gpu_remote *r, struct gdb_text *t, uint64_t thread);
/* Handles a packet; most need a job that is stopped. Monitor commands (qRcmd) do not. */
void remote_packet(struct gpu_remote *r, const char *text);

/* ---- remote_registers.c ---------------------------------------------------------------------- */

/* Writes the target description. */
void remote_describe(struct gpu_remote *r);
/* Appends register `n` of a warp in hexadecimal digits; false: there is none of the number. */
bool remote_get(struct gpu_remote *r, const struct gpu_debug_warp *w, size_t n,
                struct gdb_text *out);
/* Sets it from digits. */
bool remote_set(struct gpu_remote *r, const struct gpu_debug_warp *w, size_t n, const char *hex);

#endif
