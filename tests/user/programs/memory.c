/* Memory mappings: their contents, protection and faults. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int code;
static void *volatile address;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    code = signal * 100 + info->si_code;
    address = info->si_addr;
    siglongjmp(back, 1);
}

/*
 * Returns the result of an access at an address: 0, or signal * 100 + code, negated if the reported
 * address is wrong.
 */
static int try_access(volatile char *at, int write)
{
    if (sigsetjmp(back, 1))
        return address == at ? code : -code;
    if (write)
        *at = 1;
    else
        (void)*at;
    return 0;
}

static void show_result(const char *what, int result)
{
    printf("%s: %d\n", what, result);
}

static void use_heap(void)
{
    char *p[200], *big;
    unsigned sum = 0;

    for (int round = 0; round < 20; round++) {
        for (int n = 0; n < 200; n++) {
            p[n] = malloc((size_t)n * 131 + 1);
            memset(p[n], n, (size_t)n * 131 + 1);
        }
        for (int n = 0; n < 200; n++) {
            p[n] = realloc(p[n], (size_t)(n * 977 % 5000 + 1));
            sum += (unsigned char)p[n][0];
            free(p[(n * 7) % 200 == n ? n : n]);
        }
    }
    big = malloc(1 << 20);
    memset(big, 7, 1 << 20);
    big = realloc(big, 40 << 20);
    sum += big[(1 << 20) - 1];
    big[(40 << 20) - 1] = 1;
    big = realloc(big, 4096);
    sum += big[4095];
    free(big);
    printf("heap %u\n", sum);
}

static void change_mappings(void)
{
    char *p = mmap(NULL, 8 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *q;

    memset(p, 1, 8 * 4096);
    munmap(p + 2 * 4096, 2 * 4096);
    show_result("before the hole", try_access(p + 2 * 4096 - 1, 1));
    show_result("in the hole", try_access(p + 2 * 4096, 0));
    show_result("behind the hole", try_access(p + 4 * 4096, 1));
    mprotect(p + 4096, 4096, PROT_READ);
    show_result("read of read-only", try_access(p + 4096, 0));
    show_result("write to read-only", try_access(p + 4096, 1));
    mprotect(p + 4096, 4096, PROT_NONE);
    show_result("read of nothing", try_access(p + 4096, 0));
    mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE);
    show_result("write again", try_access(p + 4096, 1));
    show_result("null", try_access(NULL, 0));
    show_result("far away", try_access((char *)0x7000000000, 1));
    q = mmap(p + 2 * 4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0);
    printf("fixed %d, zero %d\n", q == p + 2 * 4096, q[5]);
    q = mremap(p, 2 * 4096, 64 * 4096, MREMAP_MAYMOVE);
    printf("moved %d, kept %d %d\n", q != MAP_FAILED, q[0], q[8191]);
    memset(q + 8192, 3, 62 * 4096);
    q = mremap(q, 64 * 4096, 4096, 0);
    show_result("after shrinking", try_access(q + 4096, 0));
    madvise(q, 4096, MADV_DONTNEED);
    printf("dropped %d\n", q[0]);
    errno = 0;
    printf("bad %d", mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    printf(" %d\n", errno);
    printf("bad %d %d\n", munmap(p + 1, 4096), errno);
    printf("bad %d %d\n", mprotect(p + 4 * 4096, -(size_t)4096, PROT_READ), errno);
}

static void map_files(void)
{
    char buf[16];
    int fd = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *s, *p;

    for (int n = 0; n < 5000; n++) {
        char c = (char)('a' + n % 26);

        if (write(fd, &c, 1) != 1)
            puts("write failed");
    }
    s = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 4096);
    printf("%.8s %.8s %d\n", s + 4096, p, p[4095]);
    memcpy(s + 10, "SHARED", 6);
    memcpy(p, "PRIVATE", 7);
    pread(fd, buf, 16, 8);
    printf("%.16s %.7s %.7s\n", buf, s + 4096, p);
    show_result("inside", try_access(s + 2 * 4096 - 1, 1));
    msync(s, 4096, MS_SYNC);
    munmap(s, 3 * 4096);
    close(fd);
    fd = open("mapped", O_RDONLY);
    errno = 0;
    s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    printf("read-only file: %d %d\n", s == MAP_FAILED, errno);
    s = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    printf("%.6s %d\n", s + 10, mprotect(s, 4096, PROT_READ | PROT_WRITE));
    unlink("mapped");
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    char *top = sbrk(0);

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    use_heap();
    change_mappings();
    map_files();
    printf("brk %d\n", sbrk(0) > (void *)top);
    return 0;
}
