/*
 * Mappings that are made, changed, moved and reused, with their contents and rights; the same after
 * a fork.
 */
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
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define RW   (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf back;

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

/* Prints a page's first byte and its rights: '3r', '7w', or '--'. */
static void show_page(const volatile char *page)
{
    if (sigsetjmp(back, 1)) {
        printf(" --");
        return;
    }
    printf(" %d", *page);
    if (sigsetjmp(back, 1)) {
        printf("r");
        return;
    }
    *(volatile char *)page = *page;
    printf("w");
}

static void show_all(const char *what, const char *p, unsigned pages)
{
    printf("%s:", what);
    for (unsigned n = 0; n < pages; n++)
        show_page(p + n * PAGE);
    printf("\n");
}

static char *map_pages(unsigned pages, int prot)
{
    return mmap(NULL, pages * PAGE, prot, ANON, -1, 0);
}

static void number_pages(char *p, unsigned pages)
{
    for (unsigned n = 0; n < pages; n++)
        p[n * PAGE] = (char)(n + 1);
}

static void reuse_mappings(void)
{
    char *p = map_pages(64, RW), *q;
    long sum = 0;

    /* The contents of an earlier mapping never reappear. */
    for (unsigned n = 1; n <= 300; n++) {
        unsigned at = n * 7 % 60, pages = n % 4 + 1;

        memset(p + at * PAGE, (int)n, pages * PAGE);
        munmap(p + at * PAGE, pages * PAGE);
        q = mmap(p + at * PAGE, pages * PAGE, RW, ANON | (n % 2 ? MAP_FIXED : 0), -1, 0);
        for (unsigned byte = 0; byte < pages * PAGE; byte += 64)
            sum += q[byte];
        if (q != p + at * PAGE)
            printf("moved\n");
    }
    /* New mappings over the middle of an existing one. */
    memset(p, 1, 64 * PAGE);
    mmap(p + 8 * PAGE, 4 * PAGE, PROT_READ, ANON | MAP_FIXED, -1, 0);
    mmap(p + 10 * PAGE, 4 * PAGE, PROT_NONE, ANON | MAP_FIXED, -1, 0);
    mmap(p + 12 * PAGE, PAGE, RW, ANON | MAP_FIXED, -1, 0);
    show_all("over", p + 6 * PAGE, 10);
    munmap(p, 64 * PAGE);
    show_all("gone", p, 3);
    printf("sum %ld\n", sum);
}

static void change_protections(void)
{
    static const int some[] = {PROT_NONE, PROT_READ, RW, PROT_READ | PROT_EXEC, RW | PROT_EXEC};
    char *p = map_pages(16, RW);

    number_pages(p, 16);
    for (unsigned n = 0; n < 40; n++)
        mprotect(p + n * 5 % 14 * PAGE, (n % 3 + 1) * PAGE, some[n * 3 % 5]);
    show_all("protected", p, 16);
    munmap(p, 16 * PAGE);
}

static void move_mappings(void)
{
    char *p = map_pages(32, RW), *room = map_pages(64, PROT_NONE), *q;

    number_pages(p, 32);
    mprotect(p + 4 * PAGE, 4 * PAGE, PROT_READ);
    q = mremap(p + 4 * PAGE, 4 * PAGE, 6 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 8 * PAGE);
    show_all("read-only", room + 7 * PAGE, 8);
    show_all("left", p + 3 * PAGE, 6);
    printf("there %d\n", q == room + 8 * PAGE);
    mprotect(p + 12 * PAGE, 4 * PAGE, PROT_NONE);
    q = mremap(p + 12 * PAGE, 4 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 20 * PAGE);
    mprotect(q, 2 * PAGE, RW);
    show_all("hidden", room + 19 * PAGE, 5);
    q = mremap(p + 16 * PAGE, 8 * PAGE, 16 * PAGE, MREMAP_MAYMOVE);
    show_all("grown", q, 16);
    q = mremap(q, 16 * PAGE, 3 * PAGE, 0);
    show_all("shrunk", q, 4);
    show_all("rest", p, 4);
    munmap(p, 32 * PAGE);
    munmap(room, 64 * PAGE);
}

static void map_files(void)
{
    int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *s, *p, c;

    ftruncate(fd, 8 * PAGE);
    for (unsigned n = 0; n < 8; n++) {
        c = (char)(n + 10);
        pwrite(fd, &c, 1, n * PAGE);
    }
    s = mmap(NULL, 8 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
    p = mmap(NULL, 8 * PAGE, RW, MAP_PRIVATE, fd, 0);
    show_all("shared", s, 8);
    mprotect(s + 2 * PAGE, 2 * PAGE, RW);
    s[2 * PAGE] = 50;
    p[3 * PAGE] = 60;
    show_all("shared", s, 8);
    show_all("private", p, 8);
    s = mremap(s, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
    show_all("shared, moved", s, 4);
    p = mremap(p, 8 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
    show_all("private, cut", p, 6);
    mmap(p + PAGE, 2 * PAGE, RW, MAP_SHARED | MAP_FIXED, fd, 4 * PAGE);
    p[PAGE] = 70;
    pread(fd, &c, 1, 4 * PAGE);
    printf("written %d\n", c);
    show_all("both", p, 6);
    munmap(p, 6 * PAGE);
    mmap(p, 2 * PAGE, RW, ANON | MAP_FIXED, -1, 0);
    show_all("anonymous", p, 2);
    close(fd);
    unlink("file");
}

static void change_heap(void)
{
    char *top = sbrk(0), *old = top;

    top = (char *)(((uintptr_t)top + PAGE - 1) & -PAGE);
    sbrk(top - old + 16 * PAGE);
    number_pages(top, 16);
    sbrk(-8 * PAGE); /* QEMU leaves these pages mapped */
    show_all("heap", top + 6 * PAGE, 2);
    sbrk(8 * PAGE);
    show_all("heap", top + 6 * PAGE, 4);
    mprotect(top, PAGE, PROT_READ);
    sbrk(4 * PAGE);
    show_all("heap", top, 3);
    brk(old);
}

static void show_after_fork(void)
{
    char *p = map_pages(16, RW), *room = map_pages(32, PROT_NONE);
    char *shared = mmap(NULL, 2 * PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status;

    number_pages(p, 16);
    mprotect(p + 2 * PAGE, 2 * PAGE, PROT_READ);
    munmap(p + 6 * PAGE, PAGE);
    fflush(stdout);
    if (!fork()) {
        show_all("child", p, 8);
        p[0] = 40;
        shared[0] = 41;
        mprotect(p + 2 * PAGE, 2 * PAGE, RW);
        p[2 * PAGE] = 42;
        mremap(p + 12 * PAGE, 4 * PAGE, 8 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, room + 4 * PAGE);
        show_all("child", room + 3 * PAGE, 10);
        show_all("child", p + 8 * PAGE, 8);
        mmap(p, 6 * PAGE, RW, ANON | MAP_FIXED, -1, 0);
        number_pages(p, 6);
        show_all("child", p, 8);
        munmap(shared, PAGE);
        show_all("child", shared, 2);
        fflush(stdout);
        if (!fork()) {
            shared[PAGE] = 43;
            p[PAGE] = 44;
            _exit(5);
        }
        wait(&status);
        show_all("child", p, 2);
        fflush(stdout);
        _exit(WEXITSTATUS(status));
    }
    wait(&status);
    printf("status %d\n", WEXITSTATUS(status));
    show_all("parent", p, 8);
    show_all("parent", shared, 2);
}

int main(void)
{
    signal(SIGSEGV, on_fault);
    signal(SIGBUS, on_fault);
    reuse_mappings();
    change_protections();
    move_mappings();
    map_files();
    change_heap();
    show_after_fork();
    return 0;
}
