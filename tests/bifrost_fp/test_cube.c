/*
 * The four instructions that map a direction to a face of a cube and to coordinates on it, against
 * the table of the OpenGL ES specification (section 8.13.1, "Cube Map Texture Selection").
 */
#include "tests/bifrost_fp/numbers.h"
#include "tests/bifrost_int/machine.h"

#include <math.h>

#include "common/asm_text.h"

enum { TRIES = 20000, LANES = 4, S0 = MACHINE_SOURCES, S1, S2, T0 = MACHINE_SOURCES + 6 };

/* Returns the word with this text. */
static uint32_t word_of(const struct machine_unit *u, const char *text)
{
    for (uint32_t word = 0; word < UINT32_C(1) << u->word_bits; word++) {
        char buffer[128] = "";
        struct asm_out out = {.text = buffer, .size = sizeof(buffer)};
        if (u->unit->disasm(word, 0, &out) && !strcmp(buffer, text))
            return word;
    }
    fail_msg("no word is '%s'", text);
    return 0;
}

static void run_word(struct machine *m, const struct machine_unit *u, uint32_t word)
{
    assert_true(machine_decode(m, u->unit, word));
    machine_run(m);
}

static void set_source(struct machine *m, unsigned slot, unsigned lane, float x)
{
    *machine_slot(m, slot, lane) = gpu_bits(x);
}

struct place {
    unsigned face;
    float s, t, size;
};

/* Chooses the major axis, and applies the specification's table. */
static struct place expected_place(float x, float y, float z)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);

    if (az >= ax && az >= ay)
        return z < 0 ? (struct place){5, -x, -y, az} : (struct place){4, x, -y, az};
    if (ay >= ax)
        return y < 0 ? (struct place){3, x, -z, ay} : (struct place){2, x, z, ay};
    return x < 0 ? (struct place){1, z, -y, ax} : (struct place){0, -z, -y, ax};
}

static float draw_direction(uint64_t *random)
{
    uint64_t r = draw_u64(random);
    return (float)((int64_t)r >> 40) * 0x1p-20f * (r & 1 ? 1 : 0.5f) + (float)(r >> 1 & 1);
}

static void test_cube(void **state)
{
    struct machine *m = machine_new(LANES);
    uint32_t largest = word_of(&machine_fma, "CUBEFACE1 t0, s0, s1, t0");
    uint32_t face = word_of(&machine_add, "CUBEFACE2 t1, t");
    uint32_t s = word_of(&machine_add, "CUBE_SSEL t1, s0, s1, s2");
    uint32_t t = word_of(&machine_add, "CUBE_TSEL t1, s0, s1, s2");
    uint64_t random = 11;

    (void)state;
    for (unsigned i = 0; i < TRIES; i++) {
        float x[LANES], y[LANES], z[LANES];
        struct place want[LANES];
        for (unsigned l = 0; l < LANES; l++) {
            x[l] = draw_direction(&random);
            y[l] = i % 16 ? draw_direction(&random) : x[l];
            z[l] = i % 32 ? draw_direction(&random) : -x[l];
            want[l] = expected_place(x[l], y[l], z[l]);
            set_source(m, S0, l, x[l]);
            set_source(m, S1, l, y[l]);
            set_source(m, T0, l, z[l]);
        }
        run_word(m, &machine_fma, largest);
        for (unsigned l = 0; l < LANES; l++)
            assert_int_equal(*machine_slot(m, MACHINE_RESULT, l), gpu_bits(want[l].size));
        run_word(m, &machine_add, face);
        for (unsigned l = 0; l < LANES; l++) {
            assert_int_equal(*machine_slot(m, MACHINE_RESULT, l), want[l].face << 29);
            *machine_slot(m, S2, l) = *machine_slot(m, MACHINE_RESULT, l);
            set_source(m, S0, l, z[l]);
            set_source(m, S1, l, x[l]);
        }
        run_word(m, &machine_add, s);
        for (unsigned l = 0; l < LANES; l++) {
            assert_int_equal(*machine_slot(m, MACHINE_RESULT, l), gpu_bits(want[l].s));
            set_source(m, S0, l, y[l]);
            set_source(m, S1, l, z[l]);
        }
        run_word(m, &machine_add, t);
        for (unsigned l = 0; l < LANES; l++)
            assert_int_equal(*machine_slot(m, MACHINE_RESULT, l), gpu_bits(want[l].t));
    }
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cube)};

    return cmocka_run_group_tests_name("bifrost_fp.cube", tests, NULL, NULL);
}
