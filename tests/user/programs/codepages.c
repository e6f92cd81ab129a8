/*
 * Pages with executed code are written in every possible way: by stores, by system calls, by new
 * mappings, by another process. QEMU 7.2 does not see what a child has written to shared memory.
 */
//= stores 63300
//= calls 3204960
//= mappings 1913490244
//= by itself 1500
//= on the stack 90300
//= children 18261
//= threads 246000
//= read-only 20 170980
// flags: -pthread
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define RWX  (PROT_READ | PROT_WRITE | PROT_EXEC)

static void flush_code(void *from, size_t len)
{
    __builtin___clear_cache((char *)from, (char *)from + len);
}

/* mov w0, #n; ret */
static void put_function(uint32_t *at, unsigned n)
{
    at[0] = 0x52800000u | n << 5;
    at[1] = 0xd65f03c0u;
}

static void make_function(void *at, unsigned n)
{
    put_function(at, n);
    flush_code(at, 8);
}

static int call_function(const void *at)
{
    return ((int (*)(void))at)();
}

/* Calls the code often enough to have it translated. */
static int call_often(const void *at)
{
    int sum = 0;

    for (unsigned n = 0; n < 300; n++)
        sum += call_function(at);
    return sum;
}

static char *map_pages(unsigned count, int prot)
{
    return mmap(NULL, count * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void change_by_stores(void)
{
    char *p = map_pages(3, RWX);
    volatile char *bytes = p;
    long sum = 0;

    make_function(p, 1);
    sum += call_often(p);
    /* Every size, into the page and across its borders. */
    for (unsigned n = 0; n < 200; n++) {
        make_function(p + PAGE + 32, n);
        sum += call_function(p + PAGE + 32);
        bytes[PAGE + 100] = (char)n;
        *(volatile uint16_t *)(p + PAGE + 200) = (uint16_t)n;
        *(volatile uint64_t *)(p + 2 * PAGE - 4) = n;
        *(volatile uint64_t *)(p + PAGE - 3) = n;
        __asm__ volatile("stp q0, q1, [%0]" : : "r"(p + 2 * PAGE - 16) : "memory");
        __asm__ volatile("stp %1, %1, [%0]" : : "r"(p + PAGE - 8), "r"((uint64_t)n) : "memory");
        sum += call_function(p + PAGE + 32) + bytes[PAGE + 100];
    }
    memset(p + PAGE, 0, 64);
    make_function(p + PAGE + 64, 5);
    sum += call_often(p + PAGE + 64);
    __atomic_fetch_add((uint32_t *)(p + PAGE + 64), 1 << 5, __ATOMIC_SEQ_CST);
    flush_code(p + PAGE + 64, 4);
    sum += call_often(p + PAGE + 64);
    printf("stores %ld\n", sum);
}

static void change_by_calls(void)
{
    char *p = map_pages(2, RWX);
    uint32_t word[2];
    int ends[2], sockets[2], sum = 0, fd = open("code", O_RDWR | O_CREAT | O_TRUNC, 0600);
    struct iovec two[2] = {{p, 4}, {p + 4, 4}};
    struct stat st;
    struct timespec now;

    pipe(ends);
    socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
    for (unsigned n = 1; n <= 20; n++) {
        put_function(word, 10 * n);
        write(ends[1], word, 8);
        sum += (int)read(ends[0], p, 8);
        flush_code(p, 8);
        sum += call_often(p);
        put_function(word, 10 * n + 1);
        pwrite(fd, word, 8, 0);
        sum += (int)pread(fd, p, 8, 0);
        flush_code(p, 8);
        sum += call_often(p);
        put_function(word, 10 * n + 2);
        write(ends[1], word, 8);
        sum += (int)readv(ends[0], two, 2);
        flush_code(p, 8);
        sum += call_often(p);
        put_function(word, 10 * n + 3);
        write(sockets[1], word, 8);
        sum += (int)recv(sockets[0], p, 8, 0);
        flush_code(p, 8);
        sum += call_often(p);
        /* Data beside the code. */
        sum += fstat(fd, (struct stat *)(p + 512));
        sum += clock_gettime(CLOCK_MONOTONIC, (struct timespec *)(p + 1024));
        sum += (int)read(open("/dev/zero", O_RDONLY), p + PAGE - 8, 16);
        sum += call_often(p);
    }
    unlink("code");
    printf("calls %d\n", sum);
}

static void change_by_mappings(void)
{
    char *p = map_pages(4, RWX), *q;
    int sum = 0, fd = open("code", O_RDWR | O_CREAT | O_TRUNC, 0600);
    uint32_t word[2];

    ftruncate(fd, 2 * PAGE);
    for (unsigned n = 1; n <= 20; n++) {
        make_function(p, n);
        sum += call_often(p);
        mprotect(p, PAGE, PROT_READ | PROT_EXEC);
        sum += call_function(p);
        mprotect(p, 4 * PAGE, RWX);
        sum += call_function(p);
        make_function(p, n + 1);
        sum += call_often(p);
        mprotect(p, PAGE, PROT_READ | PROT_WRITE);
        make_function(p, n + 2);
        mprotect(p, PAGE, PROT_READ | PROT_EXEC);
        sum += call_often(p);
        mmap(p, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        sum += *(int *)p;
        make_function(p, n + 3);
        sum += call_often(p);
        madvise(p, PAGE, MADV_DONTNEED);
        sum += *(int *)p;
        make_function(p, n + 4);
        sum += call_often(p);
        put_function(word, n + 5);
        pwrite(fd, word, 8, PAGE);
        mmap(p, PAGE, RWX, MAP_PRIVATE | MAP_FIXED, fd, PAGE);
        flush_code(p, 8);
        sum += call_often(p);
        make_function(p, n + 6);
        sum += call_often(p);
        mmap(p, PAGE, RWX, MAP_SHARED | MAP_FIXED, fd, PAGE);
        flush_code(p, 8);
        sum += call_often(p);
        make_function(p, n + 7);
        sum += call_often(p);
        pread(fd, word, 8, PAGE);
        sum += (int)word[0];
        munmap(p, PAGE);
        q = mmap(p, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        make_function(q, n + 8);
        sum += call_often(q);
    }
    unlink("code");
    printf("mappings %d\n", sum);
}

/* Code that writes beside itself, and into the next instructions. */
static void by_itself(void)
{
    static const uint32_t words[] = {
        0x10000409, /* adr x9, .+128: data */
        0xf9400120, /* ldr x0, [x9] */
        0x91000400, /* add x0, x0, #1 */
        0xf9000120, /* str x0, [x9] */
        0xd65f03c0, /* ret */
    };
    char *p = map_pages(1, RWX);
    int sum = 0;

    for (unsigned n = 0; n < 50; n++) {
        memcpy(p + 256, words, sizeof(words));
        flush_code(p + 256, sizeof(words));
        for (unsigned times = 0; times < 30; times++)
            sum = call_function(p + 256);
    }
    printf("by itself %d\n", sum);
}

/* Code on the stack, as of a nested function in GNU C. */
static int on_stack(unsigned depth)
{
    _Alignas(16) uint32_t code[4];
    volatile unsigned beside[4] = {depth, depth, depth, depth};

    make_function(code, depth);
    mprotect((void *)((uintptr_t)code & -PAGE), PAGE, RWX);
    return call_function(code) + (depth ? on_stack(depth - 1) : 0) + (int)beside[depth % 4];
}

static void change_in_children(void)
{
    char *p = map_pages(2, RWX), *shared = mmap(NULL, PAGE, RWX, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status, sum = 0;

    make_function(p, 1);
    make_function(shared, 50);
    sum = call_often(p) + call_often(shared);
    for (unsigned n = 0; n < 3; n++) {
        pid_t pid = fork();

        if (!pid) {
            sum = call_function(p);
            make_function(p, 20 + n);
            sum += call_often(p) / 300;
            mprotect(p, PAGE, PROT_READ | PROT_EXEC);
            mprotect(p, PAGE, RWX);
            make_function(p + PAGE, 3);
            put_function((uint32_t *)(shared + 64 * n), 60 + n);
            _exit(sum + call_function(p + PAGE));
        }
        waitpid(pid, &status, 0);
        flush_code(shared + 64 * n, 8);
        sum += WEXITSTATUS(status) + call_function(p) + call_function(shared + 64 * n);
    }
    make_function(p, 9);
    printf("children %d\n", sum + call_often(p));
}

static char *common;
static volatile int turn;

static void *write_in_turns(void *arg)
{
    for (int n = 1; n <= 40; n++) {
        while (turn != 2 * n - 1)
            sched_yield();
        make_function(common, (unsigned)n);
        turn++;
    }
    return arg;
}

static void change_in_threads(void)
{
    pthread_t thread;
    int sum = 0;

    common = map_pages(1, RWX);
    make_function(common, 0);
    pthread_create(&thread, NULL, write_in_turns, NULL);
    for (int n = 1; n <= 40; n++) {
        sum += call_often(common);
        turn++;
        while (turn != 2 * n)
            sched_yield();
    }
    sum += call_often(common);
    pthread_join(thread, NULL);
    printf("threads %d\n", sum);
}

static sigjmp_buf back;

static void on_fault(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

/* A write-protected page with code stays protected. */
static void read_only(void)
{
    char *p = map_pages(1, RWX);
    int faults = 0, sum = 0;

    signal(SIGSEGV, on_fault);
    for (unsigned n = 0; n < 20; n++) {
        make_function(p, n);
        sum += call_often(p);
        mprotect(p, PAGE, PROT_READ | PROT_EXEC);
        if (sigsetjmp(back, 1))
            faults++;
        else
            *(volatile int *)p = 0;
        sum += call_often(p) + (int)read(open("/dev/zero", O_RDONLY), p, 4);
        sum += call_often(p);
        mprotect(p, PAGE, RWX);
    }
    printf("read-only %d %d\n", faults, sum);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    change_by_stores();
    change_by_calls();
    change_by_mappings();
    by_itself();
    printf("on the stack %d\n", on_stack(300));
    change_in_children();
    change_in_threads();
    read_only();
    return 0;
}
