/* The GDB server: sending packets. */
#include <stdarg.h>

#include "runtime/cpu/gdb_internal.h"

void gdb_put(struct gdb *gdb, const void *frame, size_t len)
{
    log_printf(gdb->config.log, LOG_GDB, "gdb: -> %.*s\n", (int)len, (const char *)frame);
    gdb_link_put(gdb->link, frame, len);
}

void gdb_reply_text(struct gdb *gdb, const struct gdb_text *t)
{
    struct gdb_text out = {0};

    gdb_frame_wrap(t, &out);
    gdb_put(gdb, out.chars.data, out.chars.len);
    vec_free(&out.chars);
}

void gdb_reply(struct gdb *gdb, const char *fmt, ...)
{
    struct gdb_text t = {0};
    va_list args;

    va_start(args, fmt);
    gdb_text_add_list(&t, fmt, args);
    va_end(args);
    gdb_reply_text(gdb, &t);
    vec_free(&t.chars);
}
