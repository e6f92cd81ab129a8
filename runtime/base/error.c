/* Messages of errors. */
#include "runtime/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, const char *fmt, ...)
{
    va_list args;

    if (!err)
        return false;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return false;
}

void *error_null(struct error *err, const char *fmt, ...)
{
    va_list args;

    if (!err)
        return NULL;
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    return NULL;
}

void error_prefix(struct error *err, const char *fmt, ...)
{
    char old[sizeof(err->text)];
    va_list args;
    size_t len;

    if (!err)
        return;
    memcpy(old, err->text, sizeof(old));
    va_start(args, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, args);
    va_end(args);
    len = strlen(err->text);
    snprintf(err->text + len, sizeof(err->text) - len, "%s", old);
}
