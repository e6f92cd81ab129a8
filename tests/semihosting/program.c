/*
 * Uses semihosting in every way whose result does not depend on where it runs. Makes a file in the
 * current folder.
 */
#include <stdint.h>

typedef uintptr_t word;

enum {
    OPEN = 1,
    CLOSE,
    WRITEC,
    WRITE0,
    WRITE,
    READ,
    READC,
    ISERROR,
    ISTTY,
    SEEK,
    FLEN = 12,
    REMOVE = 14,
    RENAME,
    CLOCK,
    TIME,
    ERRNO = 19,
    EXIT_EXTENDED = 32,
};

static word call_semihosting(word operation, const volatile void *parameter)
{
#if defined(__aarch64__)
    register word r __asm__("x0") = operation;
    register const volatile void *p __asm__("x1") = parameter;

    __asm__ volatile("hlt #0xf000" : "+r"(r) : "r"(p) : "memory");
#elif defined(__thumb__)
    register word r __asm__("r0") = operation;
    register const volatile void *p __asm__("r1") = parameter;

    __asm__ volatile("svc #0xab" : "+r"(r) : "r"(p) : "memory", "lr");
#elif defined(__arm__)
    register word r __asm__("r0") = operation;
    register const volatile void *p __asm__("r1") = parameter;

    __asm__ volatile("svc #0x123456" : "+r"(r) : "r"(p) : "memory", "lr");
#else
    register word r __asm__("a0") = operation;
    register const volatile void *p __asm__("a1") = parameter;

    __asm__ volatile(".option push\n.option norvc\n.balign 16\n"
                     "slli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
                     : "+r"(r)
                     : "r"(p)
                     : "memory");
#endif
    return r;
}

static word text_length(const char *text)
{
    word n = 0;

    while (text[n])
        n++;
    return n;
}

static word call_with_block(word operation, word a, word b, word c, word d)
{
    volatile word block[4];

    block[0] = a;
    block[1] = b;
    block[2] = c;
    block[3] = d;
    return call_semihosting(operation, block);
}

static word open_file(const char *name, word mode)
{
    return call_with_block(OPEN, (word)name, mode, text_length(name), 0);
}

static void print_value(const char *what, word value)
{
    char digits[12];
    char *at = digits + sizeof(digits) - 1;

    *at = 0;
    do
        *--at = (char)('0' + value % 10);
    while (value /= 10);
    call_semihosting(WRITE0, what);
    call_semihosting(WRITE0, at);
    call_semihosting(WRITEC, "\n");
}

static void use_file(void)
{
    static const char text[] = "what a guest wrote";
    char back[32] = "";
    word file = open_file("semihosting.txt", 4), short_of;

    print_value("opened ", file != (word)-1);
    print_value("not written ", call_with_block(WRITE, file, (word)text, sizeof(text) - 1, 0));
    print_value("a terminal ", call_with_block(ISTTY, file, 0, 0, 0));
    print_value("closed ", call_with_block(CLOSE, file, 0, 0, 0));
    file = open_file("semihosting.txt", 0);
    print_value("length ", call_with_block(FLEN, file, 0, 0, 0));
    print_value("seeked ", call_with_block(SEEK, file, 7, 0, 0));
    short_of = call_with_block(READ, file, (word)back, 5, 0);
    print_value(back, short_of);
    short_of = call_with_block(READ, file, (word)back, 20, 0);
    print_value(back, short_of);
    print_value("closed ", call_with_block(CLOSE, file, 0, 0, 0));
    print_value("renamed ", call_with_block(RENAME, (word) "semihosting.txt", 15,
                                            (word) "semihosting.old", 15));
    print_value("removed ", call_with_block(REMOVE, (word) "semihosting.old", 15, 0, 0));
    print_value("opened ", open_file("semihosting.txt", 0) != (word)-1);
    print_value("errno ", call_semihosting(ERRNO, 0));
}

/* Transfers more than one part holds. */
static void use_much(void)
{
    static unsigned char much[10000];
    word file = open_file("semihosting.txt", 4), sum = 0;

    for (unsigned n = 0; n < sizeof(much); n++)
        much[n] = (unsigned char)(n * n >> 3);
    print_value("not written ", call_with_block(WRITE, file, (word)much, sizeof(much), 0));
    print_value("closed ", call_with_block(CLOSE, file, 0, 0, 0));
    for (unsigned n = 0; n < sizeof(much); n++)
        much[n] = 0;
    file = open_file("semihosting.txt", 0);
    print_value("not read ", call_with_block(READ, file, (word)much, sizeof(much) + 5, 0));
    for (unsigned n = 0; n < sizeof(much); n++)
        sum = (sum * 31 + much[n]) & 0xffffff;
    print_value("sum ", sum);
    print_value("closed ", call_with_block(CLOSE, file, 0, 0, 0));
    print_value("removed ", call_with_block(REMOVE, (word) "semihosting.txt", 15, 0, 0));
    for (unsigned n = 0; n < sizeof(much) - 1; n++)
        much[n] = (unsigned char)(n % 64 == 63 ? '\n' : 'a' + n % 23);
    much[sizeof(much) - 1] = 0;
    call_semihosting(WRITE0, (char *)much);
}

void run(void)
{
    word terminal = open_file(":tt", 4), clock = call_semihosting(CLOCK, 0);

    word left = call_with_block(WRITE, terminal, (word) "by a handle\n", 12, 0);

    call_semihosting(WRITE0, "hello from semihosting\n");
    print_value("handle ", terminal != (word)-1);
    print_value("not written ", left);
    use_file();
    use_much();
    print_value("error ", call_with_block(ISERROR, (word)-3, 0, 0, 0) != 0);
    print_value("no error ", call_with_block(ISERROR, 3, 0, 0, 0));
    print_value("later ", call_semihosting(CLOCK, 0) >= clock);
    print_value("a time ", call_semihosting(TIME, 0) > 1000000000);
    call_with_block(EXIT_EXTENDED, 0x20026, 7, 0, 0);
}
