#include "tests/a64_random/left_out.h"

#include <fnmatch.h>
#include <string.h>

/* NZCV, FPCR, FPSR, CTR_EL0, DCZID_EL0: bits 20:5 of MSR and MRS. */
static bool is_plain_sysreg(uint32_t word)
{
    switch (word >> 5 & 0xffff) {
    case 0xda10:
    case 0xda20:
    case 0xda21:
    case 0xd801:
    case 0xd807:
        return true;
    default:
        return false;
    }
}

static uint32_t field(const struct instr *instr, uint32_t word, const char *name)
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

const char *left_out(const struct instr *instr, uint32_t word)
{
#define MISTAKE(forms, condition, reason, ...) LEFT_OUT(forms, condition, reason)
#define F(name)                                field(instr, word, #name)
#define WORD                                   word
#define LEFT_OUT(forms, condition, reason)          \
    if (in_list(forms, instr->name) && (condition)) \
        return reason;
#include "tests/a64_random/left_out.def"
#undef LEFT_OUT
#undef WORD
#undef F
#undef MISTAKE
    return NULL;
}

const struct mistake *known_mistake(unsigned n)
{
#define LEFT_OUT(forms, condition, reason)
#define MISTAKE(forms, condition, reason, ...) {reason, {__VA_ARGS__}},
    static const struct mistake mistakes[] = {
#include "tests/a64_random/left_out.def"
    };
#undef LEFT_OUT
#undef MISTAKE

    return n < sizeof(mistakes) / sizeof(*mistakes) ? &mistakes[n] : NULL;
}
