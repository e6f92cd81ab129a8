/* Sorting, tables, 64-bit arithmetic, multiplications and shifts. */
#include "program.h"

enum { COUNT = 300 };
static u32 table[COUNT];

static void sort_table(void)
{
    for (u32 i = 1; i < COUNT; i++) {
        u32 value = table[i], at = i;

        for (; at && table[at - 1] > value; at--)
            table[at] = table[at - 1];
        table[at] = value;
    }
}

u32 compute(void)
{
    u32 sum = 0x811c9dc5u, seed = 1;
    u64 wide = 1;

    for (u32 i = 0; i < COUNT; i++)
        table[i] = draw_u32(&seed);
    sort_table();
    for (u32 i = 0; i < COUNT; i++) {
        int is_signed = (int)table[i] / 7 - (int)table[COUNT - 1 - i] % 1000;

        wide = wide * 6364136223846793005ull + table[i];
        sum = mix_checksum(sum, table[i] << (i & 31) | table[i] >> (31 - (i & 31)));
        sum = mix_checksum(sum, (u32)(wide >> 32) ^ (u32)(wide << (i & 63) >> 7));
        sum = mix_checksum(sum, (u32)is_signed + (table[i] > table[COUNT / 2]));
        sum = mix_checksum(sum, (u8)table[i] * (short)table[COUNT - 1 - i]);
    }
    return sum;
}
