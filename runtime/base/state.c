/*
 * Saving and loading plain state. The saved bytes, all numbers little-endian, are:
 *   section: name length (1), name, body length (4), body
 *   body: records of name length (1), name, data length (4), data
 */
#include "runtime/base/state.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"

void state_put(struct state_buf *buf, const void *bytes, size_t len)
{
    if (buf->cap - buf->len < len) {
        buf->cap = 2 * buf->cap + len + 256;
        buf->data = xrealloc(buf->data, buf->cap, 1);
    }
    if (len)
        memcpy(buf->data + buf->len, bytes, len);
    buf->len += len;
}

bool state_take(struct state_reader *r, void *to, size_t len)
{
    if (r->left < len)
        return false;
    if (len)
        memcpy(to, r->at, len);
    r->at += len;
    r->left -= len;
    return true;
}

static void append_name(struct state_buf *buf, const char *name)
{
    size_t len = strnlen(name, 255);
    uint8_t byte = (uint8_t)len;

    state_put(buf, &byte, 1);
    state_put(buf, name, len);
}

static void append_length(struct state_buf *buf, size_t len)
{
    uint32_t word = (uint32_t)len;

    state_put(buf, &word, 4);
}

void state_save(struct state_buf *buf, const char *section, const struct state_field *fields,
                const void *object)
{
    size_t start;

    append_name(buf, section);
    append_length(buf, 0);
    start = buf->len;
    for (const struct state_field *f = fields; f && f->name; f++) {
        append_name(buf, f->name);
        append_length(buf, f->size);
        if (f->size) /* an object of no bytes may be NULL */
            state_put(buf, (const char *)object + f->offset, f->size);
    }
    le_put(buf->data + start - 4, 4, buf->len - start);
}

void state_save_bytes(struct state_buf *buf, const char *section, const void *bytes, size_t len)
{
    const struct state_field fields[] = {{"bytes", 0, len}, STATE_END};

    state_save(buf, section, fields, bytes);
}

/* A named record, inside of the buffer. */
struct record {
    const char *name;
    size_t name_len;
    const uint8_t *data;
    size_t len;
};

/* Reads the record at *pos and moves *pos behind it; false at the end, and when it is damaged. */
static bool next_record(const uint8_t *data, size_t len, size_t *pos, struct record *out)
{
    size_t p = *pos;

    if (len - p < 5 || len - p - 5 < data[p])
        return false;
    out->name_len = data[p];
    out->name = (const char *)data + p + 1;
    p += 1 + out->name_len;
    out->len = le_get(data + p, 4);
    p += 4;
    if (len - p < out->len)
        return false;
    out->data = data + p;
    *pos = p + out->len;
    return true;
}

static bool is_named(const struct record *r, const char *name)
{
    return strnlen(name, 255) == r->name_len && !memcmp(name, r->name, r->name_len);
}

static const struct state_field *find_field(const struct state_field *fields,
                                            const struct record *r)
{
    for (; fields && fields->name; fields++) {
        if (is_named(r, fields->name))
            return fields;
    }
    return NULL;
}

static bool load_body(const struct record *section, const struct state_field *fields, void *object,
                      struct error *err)
{
    struct record r;
    size_t pos = 0;

    while (next_record(section->data, section->len, &pos, &r)) {
        const struct state_field *f = find_field(fields, &r);

        if (!f)
            continue; /* the field has been removed since */
        if (f->size != r.len)
            return error_set(err, "field '%s' has %zu bytes, expected %zu", f->name, r.len,
                             f->size);
        memcpy((char *)object + f->offset, r.data, r.len);
    }
    if (pos != section->len)
        return error_set(err, "the section is damaged");
    return true;
}

bool state_load(const struct state_buf *buf, const char *section, const struct state_field *fields,
                void *object, struct error *err)
{
    struct record r;
    size_t pos = 0;

    while (next_record(buf->data, buf->len, &pos, &r)) {
        if (!is_named(&r, section))
            continue;
        if (load_body(&r, fields, object, err))
            return true;
        error_prefix(err, "state of %s: ", section);
        return false;
    }
    return error_set(err, "state of %s: %s", section,
                     pos == buf->len ? "absent" : "the file is damaged");
}

const uint8_t *state_bytes(const struct state_buf *buf, const char *section, size_t *len)
{
    struct record r, first;
    size_t pos = 0, in = 0;

    while (next_record(buf->data, buf->len, &pos, &r)) {
        if (!is_named(&r, section) || !next_record(r.data, r.len, &in, &first))
            continue;
        *len = first.len;
        return first.data;
    }
    return NULL;
}

void state_buf_free(struct state_buf *buf)
{
    free(buf->data);
    *buf = (struct state_buf){0};
}
