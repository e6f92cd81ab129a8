/* Addresses of loads and stores, over and over so that they are translated: words in pieces at
 * every alignment, offsets that wrap around, and misaligned accesses next to aligned ones. */
#include "bare.h"

enum { ROUNDS = 700, BYTES = 64 };

struct action {
    uint32_t flags, handler, mask[4];
};

static uint8_t memory[BYTES] __attribute__((aligned(8)));
static uint32_t faults;

static void put_hex(uint32_t v)
{
    for (int shift = 28; shift >= 0; shift -= 4) {
        char text[] = {"0123456789abcdef"[v >> shift & 15], 0};

        put_text(text);
    }
    put_text("\n");
}

/* Notes the fault and its address, and skips the instruction. */
static void on_fault(int signal, const int *info, uint32_t *context)
{
    faults = faults * 31 + (uint32_t)signal * 4 + (uint32_t)info[1] + (uint32_t)info[3];
    ((uint64_t *)(void *)(context + 6))[1] += 4;
}

/* Words loaded and stored by LWL, LWR, SWL and SWR. */
static uint32_t in_pieces(uint32_t sum, uint8_t *at)
{
    uint32_t left = sum, right = ~sum, both = 0;

    __asm__ volatile("lwl %0, 0(%1)" : "+r"(left) : "r"(at) : "memory");
    __asm__ volatile("lwr %0, 0(%1)" : "+r"(right) : "r"(at) : "memory");
    __asm__ volatile("swl %0, 8(%1)" : : "r"(sum), "r"(at) : "memory");
    __asm__ volatile("swr %0, 13(%1)" : : "r"(sum), "r"(at) : "memory");
    __asm__ volatile("ulw %0, 9(%1)" : "=&r"(both) : "r"(at) : "memory");
    return (sum << 5 | sum >> 27) + left + 3 * right + 7 * both;
}

/* Amounts that a shift takes from the low bits of other values. */
static uint32_t shifted(uint32_t sum, uint32_t by)
{
    return (sum << ((by << 3) & 31)) ^ (sum >> ((3 - (by & 3)) * 8)) ^
           (uint32_t)((int32_t)sum >> ((by ^ 21) & 31)) ^ (sum << (31 - (by & 31)));
}

/* Signed bytes and halves, whose sign the sum shows. */
static uint32_t with_sign(uint32_t sum, const uint8_t *at)
{
    const int8_t *byte = (const int8_t *)at;
    const int16_t *half = (const int16_t *)(const void *)((uint32_t)at & ~1U);

    return sum * 5 + (uint32_t)(*byte < 0 ? -*byte : 3 * *byte) + (uint32_t)*half + (uint16_t)*half;
}

/* One pointer, several offsets: the word at 4 is misaligned where the one at 0 is, and the one at 6
 * is where they are not. */
static uint32_t around(uint32_t sum, const uint8_t *at)
{
    uint32_t a = 1, b = 2, c = 3;

    __asm__ volatile("lw %0, 0(%3)\n\tlw %1, 4(%3)\n\tlh %2, 6(%3)"
                     : "+r"(a), "+r"(b), "+r"(c)
                     : "r"(at)
                     : "memory");
    return sum + a + 3 * b + 5 * c;
}

/* Offsets that carry an address over the end of the address space, in both directions. */
static uint32_t wrapped(uint32_t sum, uint32_t top)
{
    uint32_t a = 1;

    __asm__ volatile("lw %0, 0x7ff0(%1)" : "+r"(a) : "r"(top) : "memory");
    __asm__ volatile("lw %0, -0x7ff0(%1)" : "+r"(a) : "r"(0x100) : "memory");
    __asm__ volatile("sw %0, -4(%1)" : : "r"(a), "r"(0) : "memory");
    return sum + a;
}

int main(int argc, char **argv)
{
    struct action a = {.flags = 8, .handler = P(on_fault)};
    uint32_t sum = 0x12345678;

    (void)argc, (void)argv;
    CALL(4194, 10, P(&a), 0, 16);
    CALL(4194, 11, P(&a), 0, 16);
    for (uint32_t n = 0; n < ROUNDS; n++) {
        sum = in_pieces(sum, memory + n % 43);
        sum = shifted(sum, sum + n);
        sum = with_sign(sum, memory + n % 61);
        sum = around(sum, memory + 4 * (n % 13));
    }
    put_hex(sum);
    for (uint32_t n = 0; n < ROUNDS; n++)
        sum = around(sum, memory + 1 + n % 40);
    for (uint32_t n = 0; n < ROUNDS; n++)
        sum = wrapped(sum, 0xfffffffc - 4 * (n % 8));
    put_hex(sum);
    put_hex(faults);
    return 0;
}
