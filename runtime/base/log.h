/*
 * The log of one machine: channels that are switched at run time (`-d a,b`), written to stderr or
 * to a file (`-D FILE`). A disabled channel costs one bit test.
 *
 *     if (log_enabled(log, LOG_MMU))
 *         log_printf(log, LOG_MMU, "...\n", expensive());
 *
 * log_printf() tests the bit too, so cheap arguments need no guard. Lines end with a newline that
 * the caller writes. `log` may be NULL everywhere: nothing is enabled then.
 */
#ifndef RUNTIME_BASE_LOG_H
#define RUNTIME_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"

enum log_channel {
#define LOG_CHANNEL(id, name, help) LOG_##id,
#include "runtime/base/log_channels.inc"
#undef LOG_CHANNEL
    LOG_CHANNEL_COUNT
};

struct log {
    uint32_t mask;  /* bit c: channel c of enum log_channel is on */
    FILE *out;      /* NULL: stderr */
    bool close_out; /* out was opened by log_open_file() */
};

/* Whether the channel is on; false for NULL. */
static inline bool log_enabled(const struct log *log, enum log_channel channel)
{
    return log && (log->mask & (UINT32_C(1) << channel));
}

static inline void log_enable(struct log *log, enum log_channel channel)
{
    log->mask |= UINT32_C(1) << channel;
}

/* Writes one printf-style line to an enabled channel; nothing when it is disabled. */
void log_printf(struct log *log, enum log_channel channel, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a line that users must always see, whatever channels are enabled. */
void log_always(struct log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Enables the channels of a comma-separated list (`-d`); "all" is every channel. An unknown name
 * is an error that lists the known ones; channels before it stay enabled.
 */
bool log_parse_channels(struct log *log, const char *list, struct error *err);

/* Sends the log to a file (`-D`), whose old contents are lost. */
bool log_open_file(struct log *log, const char *path, struct error *err);

/* Writes one line per channel, name and meaning, for `-d help`. */
void log_help(FILE *out);

/* Flushes and closes the file, if any; the log then goes to stderr again. */
void log_close(struct log *log);

#endif
