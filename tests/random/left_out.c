/* The words that are left out of the comparison, compiled from the architecture's left_out.def. */

#include "tests/random/left_out.h"

#include <fnmatch.h>
#include <string.h>

/* The architecture's list and its conditions' functions, from the folder on the include path. */
#include "left_out_helpers.h"

static uint32_t field_value(const struct instr *instr, uint32_t word, const char *name)
{
    const struct field *f = format_field(instr->format, name);

    return f ? (uint32_t)field_extract(f, word) : UINT32_MAX;
}

static bool in_list(const char *patterns, const char *name)
{
    char one[64];

    for (const char *at = patterns; *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");

        if (length < sizeof(one)) {
            memcpy(one, at, length);
            one[length] = 0;
            if (fnmatch(one, name, 0) == 0)
                return true;
        }
        at += length;
    }
    return false;
}

const char *left_out(const struct instr *instr, uint32_t word, bool all)
{
    (void)word, (void)field_value, (void)all; /* unused if the list has no such condition */

#define MISTAKE(forms, condition, reason, ...)        LEFT_OUT(forms, condition, reason)
#define MISTAKE_OF_ALL(forms, condition, reason, ...) LEFT_OUT(forms, condition, reason)
#define F(name)                                       field_value(instr, word, #name)
#define WORD                                          word
#define ALL                                           all
#define LEFT_OUT(forms, condition, reason)          \
    if (in_list(forms, instr->name) && (condition)) \
        return reason;
#include "left_out.def"
#undef LEFT_OUT
#undef ALL
#undef WORD
#undef F
#undef MISTAKE
#undef MISTAKE_OF_ALL
    return NULL;
}

const struct mistake *known_mistake(unsigned n)
{
#define LEFT_OUT(forms, condition, reason)
#define MISTAKE(forms, condition, reason, ...)        {reason, false, {__VA_ARGS__}},
#define MISTAKE_OF_ALL(forms, condition, reason, ...) {reason, true, {__VA_ARGS__}},
    static const struct mistake mistakes[] = {
#include "left_out.def"
        {NULL, false, {0}},
    };
#undef LEFT_OUT
#undef MISTAKE
#undef MISTAKE_OF_ALL

    return mistakes[n].reason ? &mistakes[n] : NULL;
}
