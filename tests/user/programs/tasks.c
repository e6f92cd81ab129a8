/*
 * Threads in /proc/self/task: the guest's, one by one, while the simulator has threads of its own;
 * and their number in /proc/self/status and stat. QEMU has the threads there that it has itself.
 */
// flags: -pthread
//= alone: 1
//= counted: 1 and 1
//= with 3 others: 4, as by short reads: 4, once more: 4
//= counted: 4 and 4
//= in a child: 1
//= counted: 1 and 1
//= joined: 1
//= counted: 1 and 1
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHERS = 3, THREADS = OTHERS + 1 };

static pthread_barrier_t started, counted;
static int tids[THREADS];

/* Whether the name is the number of the thread `n`; the first thread's number is the process's. */
static int is_thread(const char *name, int n)
{
    return atoi(name) == (n ? tids[n] : getpid());
}

/* The threads of this process that the folder lists, each once and nothing else; -1: not so. */
static int threads_in(DIR *folder)
{
    unsigned seen = 0;
    int count = 0;

    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        int n = 0;

        if (e->d_name[0] == '.')
            continue;
        while (n < THREADS && !is_thread(e->d_name, n))
            n++;
        if (n == THREADS || e->d_type != DT_DIR || seen & 1u << n)
            return -1;
        seen |= 1u << n;
        count++;
    }
    return count;
}

/* The same by reads of one entry each. */
static int threads_by_short_reads(void)
{
    int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY), count = 0;
    uint64_t entry[4];

    if (syscall(SYS_getdents64, fd, entry, 16) != -1)
        return -1;
    while (syscall(SYS_getdents64, fd, entry, sizeof(entry)) > 0)
        count += ((const char *)entry)[19] != '.';
    close(fd);
    return count;
}

static int threads_listed(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = threads_in(folder);

    closedir(folder);
    return count;
}

/* The number of threads in /proc/self/stat: field 20. Field 2 is a name in parentheses. */
static int threads_in_stat(void)
{
    FILE *file = fopen("/proc/self/stat", "r");
    char line[1024];
    const char *at = strrchr(fgets(line, sizeof(line), file), ')');

    for (int field = 2; field < 20; field++)
        at = strchr(at + 1, ' ');
    fclose(file);
    return atoi(at);
}

static int threads_in_status(void)
{
    FILE *file = fopen("/proc/thread-self/status", "r");
    char line[1024];
    int count = -1;

    while (count < 0 && fgets(line, sizeof(line), file))
        sscanf(line, "Threads:\t%d\n", &count);
    fclose(file);
    return count;
}

static void print_counts(void)
{
    printf("counted: %d and %d\n", threads_in_stat(), threads_in_status());
}

/* Enough code, often enough, that a thread of the simulator translates. */
static uint32_t work(void)
{
    uint32_t sum = 1;

    for (uint32_t n = 0; n < 3000000; n++)
        sum = sum * 69069 + (n ^ sum >> 7);
    return sum;
}

static void *wait_until_counted(void *n)
{
    tids[(intptr_t)n] = (int)syscall(SYS_gettid);
    pthread_barrier_wait(&started);
    pthread_barrier_wait(&counted);
    return NULL;
}

static void count_with_others(void)
{
    pthread_t thread[THREADS];
    DIR *folder;
    int count;

    for (intptr_t n = 1; n < THREADS; n++)
        pthread_create(&thread[n], NULL, wait_until_counted, (void *)n);
    pthread_barrier_wait(&started);
    folder = opendir("/proc/self/task");
    count = threads_in(folder);
    printf("with %d others: %d, as by short reads: %d", OTHERS, count, threads_by_short_reads());
    rewinddir(folder);
    printf(", once more: %d\n", threads_in(folder));
    closedir(folder);
    print_counts();
    fflush(stdout);
    if (!fork()) {
        printf("in a child: %d\n", threads_listed());
        print_counts();
        exit(0);
    }
    wait(NULL);
    pthread_barrier_wait(&counted);
    for (int n = 1; n < THREADS; n++)
        pthread_join(thread[n], NULL);
}

int main(void)
{
    pthread_barrier_init(&started, NULL, THREADS);
    pthread_barrier_init(&counted, NULL, THREADS);
    if (!work())
        return 1;
    printf("alone: %d\n", threads_listed());
    print_counts();
    count_with_others();
    printf("joined: %d\n", threads_listed());
    print_counts();
    return 0;
}
