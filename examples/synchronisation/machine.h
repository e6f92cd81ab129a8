/* What the programs need of the machine: cores, cycles, the console, distributed memory,
 * mailboxes. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdint.h>

enum { CORES = 8, NODE_BYTES = 0x10000 };

/* The part of the distributed memory that is in a core's node, from `offset` on. */
static inline volatile uint64_t *shared_words(unsigned node, unsigned offset)
{
    return (volatile uint64_t *)(UINT64_C(0x40000000) + (uint64_t)node * NODE_BYTES + offset);
}

/* Cycles since the start; all cores have the same count. */
static inline uint64_t cycle_count(void)
{
    uint64_t t;

    __asm__ volatile("rdtime %0" : "=r"(t)::"memory");
    return t;
}

/* ---- mailboxes (runtime/dev/mailbox.c) ------------------------------------------------------- */

enum { TX_WORD0, TX_WORD1, TX_SEND, TX_STATUS, RX_COUNT, RX_SOURCE, RX_WORD0, RX_WORD1 };

static volatile uint64_t *const mailbox = (volatile uint64_t *)UINT64_C(0x20000000);

/* Waits while the queue is full. */
static inline void send_mail(unsigned to, uint64_t word0, uint64_t word1)
{
    mailbox[TX_WORD0] = word0;
    mailbox[TX_WORD1] = word1;
    do
        mailbox[TX_SEND] = to;
    while (!mailbox[TX_STATUS]);
}

/* ---- firmware -------------------------------------------------------------------------------- */

static inline uint64_t call_firmware(uint64_t extension, uint64_t function, uint64_t a, uint64_t b)
{
    register uint64_t a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = 0;
    register uint64_t a6 __asm__("a6") = function, a7 __asm__("a7") = extension;

    __asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a6), "r"(a7) : "memory");
    return a0;
}

static inline void print_text(const char *text)
{
    while (*text)
        call_firmware(1, 0, (uint64_t)*text++, 0);
}

static inline void print_number(uint64_t n)
{
    char text[24], *at = text + sizeof(text) - 1;

    *at = 0;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    print_text(at);
}

__attribute__((noreturn)) static inline void power_off(void)
{
    *(volatile uint32_t *)UINT64_C(0x100000) = 0x5555;
    for (;;)
        __asm__ volatile("wfi");
}

#endif
