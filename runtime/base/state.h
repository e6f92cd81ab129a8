/*
 * Plain state, saved and restored by a table of fields.
 *
 * A device or CPU keeps its saved state in fixed-size integers (and arrays of them, or structs of
 * them without padding that matters) and lists them once:
 *
 *     static const struct state_field fields[] = {
 *         STATE_FIELD(struct pl031, match),
 *         STATE_FIELD(struct pl031, fifo),        // an array is saved whole
 *         STATE_END,
 *     };
 *
 * The saved form is a sequence of sections, one per object, each a sequence of named records. A
 * field that was added later keeps its reset value when an older snapshot is loaded; a field of
 * another size is refused.
 */
#ifndef RUNTIME_BASE_STATE_H
#define RUNTIME_BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

struct state_field {
    const char *name; /* NULL ends the table */
    size_t offset;    /* in the object */
    size_t size;      /* bytes */
};

#define STATE_FIELD(type, member)                                    \
    {                                                                \
#member, offsetof(type, member), sizeof(((type *)0)->member) \
    }
#define STATE_END  \
    {              \
        NULL, 0, 0 \
    }

/* A growing byte buffer, written by state_save() and read by state_load(). */
struct state_buf {
    uint8_t *data;
    size_t len, cap;
};

/* Appends the section `section` (an object's name, up to 255 bytes) with all fields of `object`. */
void state_save(struct state_buf *buf, const char *section, const struct state_field *fields,
                const void *object);

/*
 * Fills the fields of `object` from its section in `buf`. Fails when the section is absent, the
 * buffer is damaged, or a field has another size; `object` may then be partly filled and must be
 * reset. The buffer may hold anything.
 */
bool state_load(const struct state_buf *buf, const char *section, const struct state_field *fields,
                void *object, struct error *err);

/* Appends a section whose one record is `len` bytes, for state_bytes(). */
void state_save_bytes(struct state_buf *buf, const char *section, const void *bytes, size_t len);

/* Appends bytes of any form, which a struct state_reader takes again in the same order. */
void state_put(struct state_buf *buf, const void *bytes, size_t len);

struct state_reader {
    const uint8_t *at;
    size_t left;
};

/* Copies the next `len` bytes to `to`; false: fewer are left. */
bool state_take(struct state_reader *r, void *to, size_t len);

/* The bytes of the first record of a section, in the buffer; NULL: there is none. */
const uint8_t *state_bytes(const struct state_buf *buf, const char *section, size_t *len);

/* Releases the buffer's memory. */
void state_buf_free(struct state_buf *buf);

#endif
