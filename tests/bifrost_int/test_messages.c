/*
 * Loads, stores and atomic operations of both units on random addresses of an array, against a
 * second array that the test changes as their text says; and 64-bit sums that two units share.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/gpu/lane_memory.h"
#include "tests/bifrost_int/machine.h"
#include "tests/bifrost_int/reference.h"

enum {
    RUNS_OF_A_FORM = 200,
    STAGED = 4, /* staging registers that messages use */
    LANES = 4,
};

/* Expected contents of memory and staging registers after a message. */
struct expected {
    uint8_t memory[MACHINE_MEMORY];
    uint32_t staging[LANES][STAGED];
};

/* ---- set up ---------------------------------------------------------------------------------- */

static void fill_machine(struct machine *m, struct expected *want, uint64_t *seed)
{
    for (unsigned i = 0; i < MACHINE_MEMORY; i++)
        m->memory[i] = (uint8_t)machine_random(seed);
    memcpy(want->memory, m->memory, MACHINE_MEMORY);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < STAGED; k++)
            *machine_slot(m, MACHINE_STAGING + k, l) = want->staging[l][k] = machine_random(seed);
}

static void compare_machine(struct machine *m, const struct expected *want, const char *text)
{
    assert_false(m->bad_access);
    for (unsigned i = 0; i < MACHINE_MEMORY; i++)
        if (m->memory[i] != want->memory[i])
            fail_msg("%s: byte %u is 0x%02x, not 0x%02x", text, i, m->memory[i], want->memory[i]);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < STAGED; k++)
            if (*machine_slot(m, MACHINE_STAGING + k, l) != want->staging[l][k])
                fail_msg("%s: staging register %u of lane %u is 0x%08x, not 0x%08x", text, k, l,
                         *machine_slot(m, MACHINE_STAGING + k, l), want->staging[l][k]);
}

/* Sets source `name` to v in a lane. */
static void set_source(struct machine *m, const struct machine_unit *u, const char *name,
                       unsigned lane, uint32_t v)
{
    *machine_slot(m, machine_source(u, name), lane) = v;
}

static bool all_differ(const struct reference_instr *in)
{
    for (unsigned i = 0; i < in->sources; i++)
        for (unsigned k = 0; k < i; k++)
            if (!strcmp(in->source[i].name, in->source[k].name))
                return false;
    return true;
}

/*
 * Chooses an address for a lane by the instruction's segment. Returns its offset in the array, or
 * -1 outside of a uniform buffer.
 */
static int place_address(struct machine *m, const struct machine_unit *u,
                         const struct reference_instr *in, unsigned lane, unsigned align,
                         uint64_t *seed)
{
    uint32_t r = machine_random(seed), low = r % 24 * align, high = 0;
    int at = (int)low;

    if (reference_has(in, "ubo")) {
        low = r % 300;
        high = r >> 16 & 3;
        at = high == 3 && low <= 256 ? (int)low : -1;
    } else if (reference_has(in, "wls")) {
        at = (int)(MACHINE_LOCAL - MACHINE_BASE) + (int)low;
    } else if (reference_has(in, "tl")) {
        low = r % 48;
        at = (int)(MACHINE_THREAD - MACHINE_BASE) + (int)(64 * lane + low);
    } else {
        uint64_t address = MACHINE_BASE + low;

        high = (uint32_t)(address >> 32);
        low = (uint32_t)address;
    }
    set_source(m, u, in->source[0].name, lane, low);
    set_source(m, u, in->source[1].name, lane, high);
    return at;
}

/* ---- loads and stores ------------------------------------------------------------------------ */

static unsigned bits_of(const struct reference_instr *in)
{
    return (unsigned)atoi(in->modifier[0] + 1);
}

static void want_load(const struct reference_instr *in, struct expected *want, unsigned lane,
                      int at)
{
    unsigned bytes = bits_of(in) / 8, filled = bytes, offset = 0;
    uint8_t data[16] = {0}, *staging = (uint8_t *)want->staging[lane];
    const char *part = in->modifier[in->modifiers - 1];

    if (at >= 0 && !(reference_has(in, "ubo") && at + (int)bytes > 256))
        memcpy(data, want->memory + at, bytes);
    if (reference_has(in, "sext") && data[bytes - 1] & 0x80)
        memset(data + bytes, 0xff, sizeof(data) - bytes);
    if (reference_has(in, "sext") || reference_has(in, "zext"))
        part = in->modifier[in->modifiers - 2];
    if (strlen(part) == 2 && strchr("bhwd", *part)) {
        filled = *part == 'b' ? 1 : *part == 'h' ? 2 : *part == 'w' ? 4 : 8;
        offset = (unsigned)(part[1] - '0') * filled;
    }
    /*
     * A load without a part fills the lowest one; more than a byte or a half fills whole registers.
     */
    if (filled > 2)
        filled = (filled + 3) / 4 * 4;
    memcpy(staging + offset, data, filled);
}

static bool check_transfer(struct machine *m, const struct machine_unit *u, const char *text,
                           uint64_t *seed)
{
    static struct expected want;
    struct reference_instr in;

    assert_true(reference_parse(text, &in));
    if ((strcmp(in.name, "LOAD") && strcmp(in.name, "STORE")) || !all_differ(&in))
        return false;
    if (reference_has(&in, "pos") || reference_has(&in, "vary") || reference_has(&in, "stream"))
        return false;
    fill_machine(m, &want, seed);
    machine_set_active(m, machine_random(seed) | 1);
    for (unsigned l = 0; l < LANES; l++) {
        int at = place_address(m, u, &in, l, 1, seed);

        if (!(m->w->active >> l & 1))
            continue;
        if (!strcmp(in.name, "LOAD"))
            want_load(&in, &want, l, at);
        else
            memcpy(want.memory + at, want.staging[l], bits_of(&in) / 8);
    }
    machine_run(m);
    compare_machine(m, &want, text);
    return true;
}

static void test_transfers(void **state)
{
    struct machine *m = machine_new(LANES);

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, RUNS_OF_A_FORM, 11, check_transfer), 22);
    machine_free(m);
}

/* ---- atomics --------------------------------------------------------------------------------- */

static uint64_t load_bytes(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    memcpy(&v, p, bytes);
    return v;
}

static int64_t as_signed(uint64_t v, unsigned bytes)
{
    return bytes == 4 ? (int32_t)(uint32_t)v : (int64_t)v;
}

static uint64_t combine_values(const struct reference_instr *in, uint64_t a, uint64_t b,
                               unsigned bytes)
{
    if (reference_has(in, "asmin") || reference_has(in, "asmax") || reference_has(in, "asmax1"))
        return (as_signed(a, bytes) < as_signed(b, bytes)) == reference_has(in, "asmin") ? a : b;
    if (reference_has(in, "aumin") || reference_has(in, "aumax") || reference_has(in, "aumax1"))
        return (a < b) == reference_has(in, "aumin") ? a : b;
    if (reference_has(in, "aand"))
        return a & b;
    if (reference_has(in, "aor") || reference_has(in, "aor1"))
        return a | b;
    return reference_has(in, "axor") ? a ^ b : a + b;
}

static uint64_t atomic_operand(const struct reference_instr *in, const struct expected *want,
                               unsigned lane, uint32_t word, unsigned bytes)
{
    if (!strncmp(in->name, "ATOM_C1", 7))
        return reference_has(in, "adec") ? (bytes == 4 ? UINT32_MAX : UINT64_MAX) : 1;
    if (bytes == 4 || reference_has(in, "aaddu"))
        return word;
    if (reference_has(in, "aadds"))
        return (uint64_t)(int64_t)(int32_t)word;
    return load_bytes((const uint8_t *)want->staging[lane], 8);
}

static void want_atomic(const struct reference_instr *in, struct expected *want, unsigned lane,
                        int at, uint32_t word)
{
    unsigned bytes = bits_of(in) / 8;
    uint8_t *memory = want->memory + at, *staging = (uint8_t *)want->staging[lane];
    uint64_t old = load_bytes(memory, bytes), v = load_bytes(staging, bytes);

    if (!strncmp(in->name, "ACMP", 4)) {
        if (old == load_bytes(staging + bytes, bytes))
            memcpy(memory, &v, bytes);
    } else if (!strcmp(in->name, "AXCHG")) {
        memcpy(memory, &v, bytes);
    } else {
        v = combine_values(in, old, atomic_operand(in, want, lane, word, bytes), bytes);
        memcpy(memory, &v, bytes);
    }
    if (strstr(in->name, "XCHG") || strstr(in->name, "_RETURN"))
        memcpy(staging, &old, bytes);
}

/*
 * With _RETURN, the second half of the staging registers is set so that the operation leaves the
 * first half unchanged.
 */
static void check_contribution(struct machine *m, const struct reference_instr *in,
                               struct expected *want)
{
    unsigned bytes = bits_of(in) / 8, words = bytes / 4;

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t value[2] = {0, 0};

        if (!(m->w->active >> l & 1))
            continue;
        for (unsigned k = 0; k < 2 * words; k++)
            value[k / words] |= (uint64_t)*machine_slot(m, MACHINE_STAGING + k, l)
                                << (k % words * 32);
        for (unsigned k = words; k < 2 * words; k++)
            want->staging[l][k] = *machine_slot(m, MACHINE_STAGING + k, l);
        value[1] = combine_values(in, value[0], value[1], bytes);
        assert_memory_equal(&value[0], &value[1], bytes);
    }
}

static bool check_atomic(struct machine *m, const struct machine_unit *u, const char *text,
                         uint64_t *seed)
{
    static struct expected want;
    struct reference_instr in;

    assert_true(reference_parse(text, &in));
    if ((strncmp(in.name, "ATOM_C", 6) && strcmp(in.name, "AXCHG") &&
         strncmp(in.name, "ACMP", 4)) ||
        !strcmp(in.name, "ATOM_CX") || !all_differ(&in))
        return false;
    fill_machine(m, &want, seed);
    machine_set_active(m, machine_random(seed) | 1);
    for (unsigned l = 0; l < LANES; l++) {
        int at = place_address(m, u, &in, l, bits_of(&in) / 8, seed);
        uint32_t word = machine_random(seed);

        if (in.sources > 2)
            set_source(m, u, in.source[2].name, l, word);
        /* equal to memory, so that the exchange succeeds */
        if (!strncmp(in.name, "ACMP", 4) && word & 1) {
            unsigned words = bits_of(&in) / 32;

            memcpy(&want.staging[l][words], want.memory + at, words * 4);
            for (unsigned k = words; k < 2 * words; k++)
                *machine_slot(m, MACHINE_STAGING + k, l) = want.staging[l][k];
        }
        if (m->w->active >> l & 1)
            want_atomic(&in, &want, l, at, word);
    }
    machine_run(m);
    if (strstr(in.name, "_RETURN"))
        check_contribution(m, &in, &want);
    compare_machine(m, &want, text);
    return true;
}

static void test_atomics(void **state)
{
    struct machine *m = machine_new(LANES);

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_fma, RUNS_OF_A_FORM, 12, check_atomic), 8);
    assert_int_equal(machine_each_word(m, &machine_add, RUNS_OF_A_FORM, 13, check_atomic), 6);
    machine_free(m);
}

/* ---- sums of two units ----------------------------------------------------------------------- */

/* Words of the ADD unit that may be the second half of a pair, on s0 and s1. */
static struct {
    char text[64];
    uint32_t word;
} halves[16];
static unsigned half_count;

static bool collect_half(struct machine *m, const struct machine_unit *u, const char *text,
                         uint64_t *seed)
{
    struct reference_instr in;

    (void)u;
    (void)seed;
    assert_true(reference_parse(text, &in));
    if ((strcmp(in.name, "SHADDXH") && strncmp(in.name, "SEG_", 4)) ||
        strcmp(in.source[0].name, "s0") || (in.sources > 1 && strcmp(in.source[1].name, "s1")))
        return false;
    assert_true(half_count < 16);
    snprintf(halves[half_count].text, sizeof(halves[half_count].text), "%s", text);
    halves[half_count++].word = m->word;
    return true;
}

/* Returns the second half with this text and name. */
static uint32_t second_half(const char *text, const char *name)
{
    char want[64];

    if (!strcmp(name, "SHADDXL"))
        snprintf(want, sizeof(want), "SHADDXH.i32 t1, s0, s1");
    else
        snprintf(want, sizeof(want), "%.*s t1, s0", (int)strcspn(text, " "), text);
    for (unsigned i = 0; i < half_count; i++)
        if (!strcmp(halves[i].text, want))
            return halves[i].word;
    fail_msg("no word for '%s'", want);
    return 0;
}

/* The second operand of SHADDXL as 64 bits. */
static uint64_t second_operand(const struct reference_instr *in, uint64_t b)
{
    const char *part = in->source[1].modifier;
    uint32_t v = (uint32_t)b;

    if (reference_has(in, "i64"))
        return b;
    if (*part == 'h')
        v = part[1] == '1' ? v >> 16 : v & 0xffff;
    if (reference_has(in, "u32"))
        return v;
    return (uint64_t)(*part == 'h' ? (int64_t)(int16_t)v : (int64_t)(int32_t)v);
}

static uint64_t wide_sum(const char *text, const struct reference_instr *in, unsigned lane,
                         uint64_t a, uint64_t b)
{
    uint64_t base = reference_has(in, "wls") ? MACHINE_LOCAL : MACHINE_THREAD + 64 * lane;

    if (!strcmp(in->name, "SHADDXL"))
        return a + (second_operand(in, b) << atoi(strstr(text, "shift:") + 6));
    if (reference_has(in, "preserve_null") && a == 0)
        return 0;
    return strcmp(in->name, "SEG_ADD") ? a - base : a + base;
}

static bool check_pair(struct machine *m, const struct machine_unit *u, const char *text,
                       uint64_t *seed)
{
    uint64_t a[LANES], b[LANES];
    uint32_t low[LANES], word = m->word;
    struct reference_instr in;

    assert_true(reference_parse(text, &in));
    if ((strcmp(in.name, "SHADDXL") && strncmp(in.name, "SEG_", 4)) || !all_differ(&in) ||
        !strcmp(in.source[0].name, "#0") || !strcmp(in.source[1].name, "#0"))
        return false;
    machine_set_active(m, ~UINT32_C(0));
    for (unsigned l = 0; l < LANES; l++) {
        a[l] = (uint64_t)machine_random(seed) << 32 | (machine_random(seed) | 1);
        b[l] = (uint64_t)machine_random(seed) << 32 | machine_random(seed);
        if (machine_random(seed) % 4 == 0)
            a[l] = 0;
        set_source(m, u, in.source[0].name, l, (uint32_t)a[l]);
        if (in.sources > 1)
            set_source(m, u, in.source[1].name, l, (uint32_t)b[l]);
    }
    machine_run(m);
    for (unsigned l = 0; l < LANES; l++) {
        low[l] = *machine_slot(m, MACHINE_RESULT, l);
        set_source(m, &machine_add, "t", l, low[l]);
        set_source(m, &machine_add, "s0", l, (uint32_t)(a[l] >> 32));
        set_source(m, &machine_add, "s1", l, (uint32_t)(b[l] >> 32));
    }
    assert_true(machine_decode(m, machine_add.unit, second_half(text, in.name)));
    machine_run(m);
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t got = (uint64_t)*machine_slot(m, MACHINE_RESULT, l) << 32 | low[l];
        uint64_t want = wide_sum(text, &in, l, a[l], b[l]);

        if (got != want)
            fail_msg("%s of 0x%016lx 0x%016lx in lane %u: 0x%016lx, not 0x%016lx", text, a[l], b[l],
                     l, got, want);
    }
    /* machine_each_word() counts by the form that was decoded last. */
    return machine_decode(m, u->unit, word);
}

static void test_pairs(void **state)
{
    struct machine *m = machine_new(LANES);

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, 16, 14, collect_half), 3);
    assert_int_equal(machine_each_word(m, &machine_fma, RUNS_OF_A_FORM, 15, check_pair), 5);
    machine_free(m);
}

/* ---- attributes and images ------------------------------------------------------------------- */

static const char *const formats[] = {"f16", "f32", "s32", "u32", "s16",
                                      "u16", "f64", "i64", "auto"};

static unsigned format_of(const struct reference_instr *in)
{
    for (unsigned f = 0; f < 9; f++)
        if (reference_has(in, formats[f]))
            return f;
    fail_msg("no format");
    return 0;
}

static unsigned components_of(const struct reference_instr *in)
{
    return reference_has(in, "v2")   ? 2
           : reference_has(in, "v3") ? 3
           : reference_has(in, "v4") ? 4
                                     : 1;
}

/* Returns the address that an attribute instruction computes, and the attribute's index. */
static uint64_t texel_address(struct machine *m, const struct machine_unit *u, const char *text,
                              const struct reference_instr *in, unsigned lane, uint32_t *index)
{
    uint32_t a = *machine_slot(m, machine_source(u, in->source[0].name), lane);
    uint32_t b = *machine_slot(m, machine_source(u, in->source[1].name), lane);

    if (strstr(in->name, "_CVT"))
        return (uint64_t)b << 32 | a;
    *index = strstr(in->name, "_IMM")
                 ? (uint32_t)atoi(strstr(text, "attribute_index:") + 16)
                 : *machine_slot(m, machine_source(u, in->source[2].name), lane);
    if (strstr(in->name, "_TEX"))
        return gpu_image_address(m->w, *index, a, b);
    return gpu_attribute_address(m->w, *index, a, b);
}

static bool is_attribute(const struct reference_instr *in)
{
    return !strncmp(in->name, "LD_ATTR", 7) || !strncmp(in->name, "LEA_ATTR", 8) ||
           !strcmp(in->name, "LD_CVT") || !strcmp(in->name, "ST_CVT");
}

/* Checks pixels against the machine's stubs. */
/* The texel that the first lane loads. */
static void want_texel(struct machine *m, const struct reference_instr *in, struct expected *want,
                       uint64_t address, uint32_t memory_format, unsigned format)
{
    bool half = format == 0 || format == 4 || format == 5;
    unsigned n = components_of(in), registers = half ? (n + 1) / 2 : n;

    for (unsigned k = 0; k < registers; k++)
        want->staging[0][k] = gpu_pixel_load(m->w, m->op, 0, address, memory_format, format, k);
}

static bool check_attribute(struct machine *m, const struct machine_unit *u, const char *text,
                            uint64_t *seed)
{
    static struct expected want;
    struct reference_instr in;
    uint32_t index = 0, conversion = machine_random(seed) % 9 << 24 | machine_random(seed) % 4096;
    bool wide;

    assert_true(reference_parse(text, &in));
    if (!is_attribute(&in) || !all_differ(&in))
        return false;
    fill_machine(m, &want, seed);
    machine_set_active(m, 1);
    for (unsigned i = 0; i < in.sources; i++)
        set_source(m, u, in.source[i].name, 0, machine_random(seed) % 12);
    if (strstr(in.name, "_CVT"))
        set_source(m, u, in.source[2].name, 0, conversion);
    else
        conversion = format_of(&in) << 24;
    uint64_t address = texel_address(m, u, text, &in, 0, &index);

    wide = conversion >> 24 == 6 || conversion >> 24 == 7;
    if (!strcmp(in.name, "LD_CVT")) {
        want_texel(m, &in, &want, address, conversion & 0x3fffff, conversion >> 24);
    } else if (!strncmp(in.name, "LD_", 3)) {
        want_texel(m, &in, &want, address, 0x1000 + index, conversion >> 24);
    } else if (!strncmp(in.name, "LEA_", 4)) {
        want.staging[0][0] = (uint32_t)address;
        want.staging[0][1] = (uint32_t)(address >> 32);
        want.staging[0][2] = (0x1000 + index) | conversion;
    }
    machine_run(m);
    if (wide && strncmp(in.name, "LEA_", 4)) {
        assert_int_equal(m->w->faulted, GPU_FAULT_UNIMPLEMENTED);
        return true;
    }
    assert_int_equal(m->w->faulted, 0);
    compare_machine(m, &want, text);
    if (!strcmp(in.name, "ST_CVT")) {
        assert_memory_equal(m->texel, want.staging[0], sizeof(m->texel));
        assert_int_equal(m->texel_format, conversion & 0x3fffff);
        assert_int_equal(m->texel_register_format, conversion >> 24);
        assert_int_equal(m->texel_count, components_of(&in));
    }
    return true;
}

static void test_attributes(void **state)
{
    struct machine *m = machine_new(LANES);

    (void)state;
    assert_int_equal(machine_each_word(m, &machine_add, RUNS_OF_A_FORM, 16, check_attribute), 14);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_attributes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
