/*
 * The terms of table 3.1 of seed 004, measured one by one while nothing else happens: cycles of an
 * access to private memory, to the part of the distributed memory at each distance, of a poll of
 * the lock, and of a message's way. Loops without the access are subtracted.
 */
#include "machine.h"

enum { TIMES = 64, ECHO = 1, ARRIVED = 2 };

extern volatile uint64_t core_count;

static volatile uint64_t word __attribute__((aligned(64)));

static void print_row(const char *name, uint64_t number)
{
    print_text(name);
    print_text(" ");
    print_number(number);
    print_text("\n");
}

/* Cycles of TIMES executions of a statement, less those of the loop around it. */
#define MEASURE(statement)                     \
    ({                                         \
        uint64_t before, loop, all;            \
        before = cycle_count();                \
        for (unsigned n = 0; n < TIMES; n++)   \
            __asm__ volatile("" ::: "memory"); \
        loop = cycle_count() - before;         \
        before = cycle_count();                \
        for (unsigned n = 0; n < TIMES; n++) { \
            __asm__ volatile("" ::: "memory"); \
            statement;                         \
        }                                      \
        all = cycle_count() - before;          \
        (all - loop + TIMES / 2) / TIMES;      \
    })

static uint64_t swap_zero(volatile uint64_t *at)
{
    uint64_t old;

    __asm__ volatile("amoswap.d %0, zero, (%1)" : "=r"(old) : "r"(at) : "memory");
    return old;
}

/* A message to a core and its answer; the first has the time of sending, the answer that of
 * arrival. */
static uint64_t way_of_message(unsigned to)
{
    uint64_t arrived, sent = cycle_count();

    send_mail(to, ECHO, 0);
    while (!mailbox[RX_COUNT])
        ;
    arrived = mailbox[RX_WORD0];
    (void)mailbox[RX_WORD1];
    return arrived - sent;
}

static void echo_messages(void)
{
    for (;;) {
        while (!mailbox[RX_COUNT])
            ;
        uint64_t now = cycle_count();
        unsigned source = (unsigned)mailbox[RX_SOURCE];

        (void)mailbox[RX_WORD1];
        send_mail(source, now, ARRIVED);
    }
}

void run(uint64_t me)
{
    static const unsigned at_distance[] = {0, 1, 2, 3, 7}; /* nodes 0 to 4 hops from node 0 */
    static const char *const reads[] = {"read0", "read1", "read2", "read3", "read4"};
    static const char *const writes[] = {"write0", "write1", "write2", "write3", "write4"};
    static const char *const swaps[] = {"swap0", "swap1", "swap2", "swap3", "swap4"};
    static const char *const ways[] = {"", "message1", "message2", "message3", "message4"};

    if (me)
        echo_messages();
    while (core_count < CORES)
        ;
    word = 0;
    print_row("private_read", MEASURE((void)word));
    print_row("private_write", MEASURE(word = 0));
    for (unsigned hops = 0; hops < 5; hops++) {
        volatile uint64_t *at = shared_words(at_distance[hops], 0x80);

        print_row(reads[hops], MEASURE((void)*at));
        print_row(writes[hops], MEASURE(*at = 0));
        print_row(swaps[hops], MEASURE(swap_zero(at)));
        if (hops)
            print_row(ways[hops], way_of_message(at_distance[hops]));
    }
    print_row("poll1", MEASURE(while (*shared_words(1, 0x80));));
    power_off();
}
