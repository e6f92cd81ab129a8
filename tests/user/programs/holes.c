/*
 * Operations on unmapped addresses. QEMU 7.2 refuses to protect zero bytes, treats holes of 32-bit
 * programs as pages without rights, and reports the host's address for a SIGBUS.
 */
//= unprotected -1 12, then 0
//= nothing 0
//= unmoved 1 14
//= behind the file 702, there 1
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define RW   (PROT_READ | PROT_WRITE)

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

static void operate_on_holes(void)
{
    char *p = mmap(NULL, 8 * PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(p + 4 * PAGE, PAGE);
    printf("unprotected %d", mprotect(p + 3 * PAGE, 3 * PAGE, RW));
    printf(" %d, then %d\n", errno, mprotect(p + 5 * PAGE, 3 * PAGE, RW));
    printf("nothing %d\n", mprotect(p, 0, PROT_NONE));
    printf("unmoved %d", mremap(p + 4 * PAGE, PAGE, PAGE * 2, MREMAP_MAYMOVE) == MAP_FAILED);
    printf(" %d\n", errno);
}

static void end_of_file(void)
{
    int fd = open("short", O_RDWR | O_CREAT | O_TRUNC, 0600);
    volatile char *s;

    ftruncate(fd, 100);
    s = mmap(NULL, 2 * PAGE, RW, MAP_SHARED, fd, 0);
    if (!sigsetjmp(back, 1))
        (void)s[PAGE];
    printf("behind the file %d, there %d\n", code, address == s + PAGE);
    unlink("short");
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    sigaction(SIGBUS, &action, NULL);
    operate_on_holes();
    end_of_file();
    return 0;
}
