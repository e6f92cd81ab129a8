/* Options of the command line that describe a kernel. */
#include "programs/mali-run/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/bits.h"
#include "runtime/base/values.h"

enum { MAX_BUFFER_SHIFT = 32 };

bool kernel_read_size(uint32_t size[3], const char *what, const char *text, struct error *err)
{
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        unsigned long n;

        size[i] = 1;
        if (!text)
            continue;
        errno = 0;
        n = strtoul(text, &end, 0);
        if (end == text || *text == '-' || errno || !n || n > UINT32_MAX || (*end && *end != ','))
            return error_set(err, "%s is X, X,Y or X,Y,Z of at least 1 each, not '%s'", what, text);
        size[i] = (uint32_t)n;
        text = *end ? end + 1 : NULL;
    }
    return !text || error_set(err, "%s has three numbers at most", what);
}

/* ---- -arg ------------------------------------------------------------------------------------ */

static bool read_file_buffer(struct kernel_argument *a, const char *file, struct error *err)
{
    struct stat st;

    if (stat(file, &st) || !S_ISREG(st.st_mode))
        return error_set(err, "-arg buffer=%.150s: there is no such file", file);
    a->is_buffer = true;
    a->file = file;
    a->bytes = (uint64_t)st.st_size;
    return a->bytes || error_set(err, "-arg buffer=%.150s: the file is empty", file);
}

static bool read_zeros(struct kernel_argument *a, const char *text, struct error *err)
{
    a->is_buffer = true;
    if (!value_size(text, "-arg zero", 1, &a->bytes, err))
        return false;
    return (a->bytes && a->bytes >> MAX_BUFFER_SHIFT == 0) ||
           error_set(err, "-arg zero:%.100s: a buffer has 1 byte to 4 GB", text);
}

/* Reads an integer of `bits` bits; negative ones become their complement. */
static bool read_integer(uint64_t *out, const char *text, unsigned bits, struct error *err)
{
    uint64_t most = UINT64_MAX >> (64 - bits), n;
    bool minus = *text == '-';
    char *end;

    errno = 0;
    n = strtoull(text + minus, &end, 0);
    if (end == text + minus || text[minus] == '-' || *end || errno || n > most ||
        (minus && n > most / 2 + 1))
        return error_set(err, "-arg u%u:%.100s: not a number of %u bits", bits, text, bits);
    *out = (minus ? -n : n) & most;
    return true;
}

static bool read_float(uint64_t *out, const char *text, struct error *err)
{
    char *end;
    float v = strtof(text, &end);
    uint32_t bits;

    if (end == text || *end)
        return error_set(err, "-arg f32:%.100s: not a number", text);
    memcpy(&bits, &v, sizeof(bits));
    *out = bits;
    return true;
}

/* The text behind a prefix; NULL: it does not begin with it. */
static const char *after_prefix(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) ? NULL : text + length;
}

bool kernel_read_argument(struct kernel *k, const char *text, struct error *err)
{
    struct kernel_argument *a = &k->argument[k->argument_count];
    const char *value;

    if (k->argument_count == KERNEL_MAX_ARGUMENTS)
        return error_set(err, "a kernel has %d arguments at most", KERNEL_MAX_ARGUMENTS);
    *a = (struct kernel_argument){0};
    k->argument_count++;
    if ((value = after_prefix(text, "buffer=")))
        return read_file_buffer(a, value, err);
    if ((value = after_prefix(text, "zero:")))
        return read_zeros(a, value, err);
    if ((value = after_prefix(text, "u32:")))
        return read_integer(&a->value, value, 32, err);
    if ((value = after_prefix(text, "u64:")))
        return read_integer(&a->value, value, 64, err);
    if ((value = after_prefix(text, "f32:")))
        return read_float(&a->value, value, err);
    return error_set(err, "-arg is buffer=FILE, zero:SIZE, u32:N, u64:N or f32:X, not '%.100s'",
                     text);
}

/* ---- -dump ----------------------------------------------------------------------------------- */

bool kernel_read_dump(struct kernel *k, const char *text, struct error *err)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (end == text || *end != '=' || !end[1] || n >= KERNEL_MAX_ARGUMENTS)
        return error_set(err, "-dump is N=FILE, N the number of an argument from 0, not '%.100s'",
                         text);
    vec_push(&k->dumps, (struct kernel_dump){(unsigned)n, end + 1});
    return true;
}

void kernel_release(struct kernel *k)
{
    vec_for_each (&k->values, value)
        free(*value);
    vec_free(&k->values);
    vec_free(&k->dumps);
}
