/* The bytes of 9P messages: little-endian numbers, strings with a length of two bytes in front. */
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/dev/ninep_internal.h"

uint64_t p9_get(struct p9_in *in, unsigned bytes)
{
    uint64_t value;

    if ((size_t)(in->end - in->at) < bytes) {
        in->bad = true;
        in->at = in->end;
        return 0;
    }
    value = le_get(in->at, bytes);
    in->at += bytes;
    return value;
}

bool p9_get_string(struct p9_in *in, char *to, size_t room)
{
    size_t len = p9_get(in, 2);

    to[0] = '\0';
    if (in->bad || len > (size_t)(in->end - in->at)) {
        in->bad = true;
        return false;
    }
    if (len >= room || memchr(in->at, 0, len))
        return false;
    memcpy(to, in->at, len);
    to[len] = '\0';
    in->at += len;
    return true;
}

bool p9_get_name(struct p9_in *in, char to[P9_NAME])
{
    return p9_get_string(in, to, P9_NAME) && *to && !strchr(to, '/') && strcmp(to, ".") &&
           strcmp(to, "..");
}

size_t p9_room(const struct p9_out *out)
{
    return (size_t)(out->end - out->at);
}

void p9_put(struct p9_out *out, unsigned bytes, uint64_t value)
{
    if (p9_room(out) < bytes) {
        out->full = true;
        return;
    }
    le_put(out->at, bytes, value);
    out->at += bytes;
}

void p9_put_string(struct p9_out *out, const char *text)
{
    size_t len = strlen(text);

    p9_put(out, 2, len);
    if (p9_room(out) < len) {
        out->full = true;
        return;
    }
    memcpy(out->at, text, len);
    out->at += len;
}

/* The identity of a file: kind, version, number. */
void p9_put_qid(struct p9_out *out, const struct stat *st)
{
    p9_put(out, 1, S_ISDIR(st->st_mode) ? 0x80 : S_ISLNK(st->st_mode) ? 0x02 : 0);
    p9_put(out, 4, (uint32_t)((uint64_t)st->st_mtim.tv_sec ^ (uint64_t)st->st_size << 8));
    p9_put(out, 8, st->st_ino);
}
