/* Log channels: switching them on by name, and writing to them. */
#include "runtime/base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static const struct {
    const char *name, *help;
} channels[LOG_CHANNEL_COUNT] = {
#define LOG_CHANNEL(id, name, help) [LOG_##id] = {#name, help},
#include "runtime/base/log_channels.inc"
#undef LOG_CHANNEL
};

_Static_assert(LOG_CHANNEL_COUNT <= 32, "struct log holds a 32-bit mask");

void log_printf(struct log *log, enum log_channel channel, const char *fmt, ...)
{
    va_list args;

    if (!log_enabled(log, channel))
        return;
    va_start(args, fmt);
    vfprintf(log->out ? log->out : stderr, fmt, args);
    va_end(args);
}

void log_always(struct log *log, const char *fmt, ...)
{
    va_list args;

    if (!log)
        return;
    va_start(args, fmt);
    vfprintf(log->out ? log->out : stderr, fmt, args);
    va_end(args);
}

static bool report_unknown_channel(const char *name, size_t len, struct error *err)
{
    char known[200] = "";
    size_t used = 0;

    for (int i = 0; i < LOG_CHANNEL_COUNT; i++)
        used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "",
                                 channels[i].name);
    return error_set(err, "unknown log channel '%.*s'; known: all, %s", (int)(len < 20 ? len : 20),
                     name, known);
}

static bool enable_by_name(struct log *log, const char *name, size_t len)
{
    if (len == 3 && !strncmp(name, "all", 3)) {
        for (int i = 0; i < LOG_CHANNEL_COUNT; i++)
            log_enable(log, i);
        return true;
    }
    for (int i = 0; i < LOG_CHANNEL_COUNT; i++) {
        if (strlen(channels[i].name) == len && !strncmp(channels[i].name, name, len)) {
            log_enable(log, i);
            return true;
        }
    }
    return false;
}

bool log_parse_channels(struct log *log, const char *list, struct error *err)
{
    for (const char *p = list;; p++) {
        size_t len = strcspn(p, ",");

        if (!enable_by_name(log, p, len))
            return report_unknown_channel(p, len, err);
        p += len;
        if (!*p)
            return true;
    }
}

bool log_open_file(struct log *log, const char *path, struct error *err)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return error_set(err, "cannot write the log file %s: %s", path, strerror(errno));
    log_close(log);
    log->out = file;
    log->close_out = true;
    return true;
}

void log_help(FILE *out)
{
    for (int i = 0; i < LOG_CHANNEL_COUNT; i++)
        fprintf(out, "  %-14s %s\n", channels[i].name, channels[i].help);
}

void log_close(struct log *log)
{
    if (log->close_out)
        fclose(log->out);
    log->out = NULL;
    log->close_out = false;
}
