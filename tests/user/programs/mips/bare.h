/* What programs of 32-bit MIPS without a C library need: calls, output, the beginning. */
#ifndef TESTS_USER_PROGRAMS_MIPS_BARE_H
#define TESTS_USER_PROGRAMS_MIPS_BARE_H

#include <stdarg.h>
#include <stdint.h>

/* All calls have four arguments in registers and four on the stack. The second result is stored. */
static int second;

static int call8(int number, const uint32_t *a)
{
    register uint32_t v0 __asm__("$2") = (uint32_t)number;
    register uint32_t v1 __asm__("$3");
    register uint32_t a0 __asm__("$4") = a[0];
    register uint32_t a1 __asm__("$5") = a[1];
    register uint32_t a2 __asm__("$6") = a[2];
    register uint32_t a3 __asm__("$7") = a[3];

    __asm__ volatile("addiu $29, $29, -32\n"
                     "sw %6, 16($29)\n"
                     "sw %7, 20($29)\n"
                     "sw %8, 24($29)\n"
                     "sw %9, 28($29)\n"
                     "syscall\n"
                     "addiu $29, $29, 32"
                     : "+r"(v0), "=r"(v1), "+r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(a[4]), "r"(a[5]), "r"(a[6]), "r"(a[7])
                     : "memory", "$1", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo");
    second = (int)v1;
    return a3 ? -(int)v0 : (int)v0;
}

#define CALL(number, ...) call8(number, (const uint32_t[8]){__VA_ARGS__})
#define P(pointer)        ((uint32_t)(uintptr_t)(pointer))

/* Called by code that the compiler generates. */
void *memset(void *to, int value, unsigned long length);

void *memset(void *to, int value, unsigned long length)
{
    for (volatile char *at = to; length--; at++)
        *at = (char)value;
    return to;
}

static void put_text(const char *text)
{
    uint32_t length = 0;

    while (text[length])
        length++;
    CALL(4004, 1, P(text), length);
}

static void put_digit(int digit)
{
    put_text((char[]){(char)('0' + digit), 0});
}

static void put_number(const char *name, int value)
{
    char text[16];
    unsigned at = sizeof(text), rest = value < 0 ? -(unsigned)value : (unsigned)value;

    text[--at] = 0;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        text[--at] = '-';
    put_text(name);
    put_text(" ");
    put_text(text + at);
    put_text("\n");
}

/* Defined by the program that includes this file. */
int main(int argc, char **argv);

/* Runs the program; `sp` is the stack that Linux made. */
void begin(uint32_t *sp);

void begin(uint32_t *sp)
{
    CALL(4001, (uint32_t)main((int)sp[0], (char **)(sp + 1)));
}

__asm__(".globl __start\n"
        ".ent __start\n"
        "__start:\n"
        "move $4, $29\n"
        "addiu $29, $29, -32\n"
        "jal begin\n"
        "nop\n"
        ".end __start\n");

#endif
