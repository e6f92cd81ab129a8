/*
 * System V message queues, semaphores and shared memory, within one process and between two. QEMU's
 * arm cannot attach memory at an address, so Linux's results are given here.
 */
//= msgsnd 0
//= msgsnd 0, type 0: -22
//= IPC_STAT 0
//= queue: mode 600, owner 1 1 1 1
//= 2 messages, times 1 0 1, pids 1 0, room 1
//= short -7
//= cut 4 3 thre
//= none -42
//= first 6 7 seven
//= msgctl(id, IPC_SET, &ds): 0
//= msgctl(id, IPC_STAT, &ds): 0
//= mode 640
//= waited for 15 from the child, 0
//= removed while waiting: -43
//= gone: -22 0, bad pointer -22
//= semctl(id, 0, SETALL, (union semun){.ptr = all}): 0
//= semctl(id, 1, SETVAL, (union semun){.val = 20}): 0
//= semctl(id, 1, GETVAL): 20
//= semctl(id, 2, GETVAL): 3
//= semctl(id, 3, GETVAL): -22
//= semop(id, &take, 1): 0
//= semop(id, &try, 1): -11
//= semtimedop(id, &take, 1, &soon): -11
//= semop(id, both, 2): 0
//= semctl(id, 0, GETALL, (union semun){.ptr = all}): 0
//= 0, 0 20 5, pid 1
//= IPC_STAT 0 3, times 1 1
//= set: mode 600, owner 1 1 1 1
//= interrupted -4
//= undo 15 20
//= semop(id, &take, 0): -22
//= semctl(id, 0, IPC_RMID): 0
//= semop(id, &take, 1): -22
//= attached_count(id): 2
//= text 0
//= can_write(a): 1
//= can_write(b): 0
//= mprotect(b, 4096, PROT_READ | PROT_WRITE): -13
//= IPC_STAT 0 100000, times 1 0 1, pids 1 1
//= segment: mode 600, owner 1 1 1 1
//= child: attached 4
//= from the child, attached 2
//= shmdt(b): 0
//= shmdt(b): -22
//= can_read(b): 0
//= attached_count(id): 1
//= at a place 1 from the child
//= (intptr_t)shmat(id, hole, 0) == -1 ? -1 : 0: -22
//= (intptr_t)shmat(id, a + 100, 0) == -1 ? -1 : 0: -22
//= can_read(c): 0
//= can_read(c + 9000): 1
//= attached_count(id): 2
//= shmdt(c): 0
//= attached_count(id): 1
//= can_read(c + 9000): 0
//= shmctl(id, IPC_RMID, NULL): 0
//= still from the child
//= shmdt(a): 0
//= attached_count(id): -22
//= shmget(IPC_PRIVATE, 0, 0600): -22
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct message {
    long type;
    char text[64];
};

union semun {
    int val;
    void *ptr;
};

static int result_or_errno(long value)
{
    return value < 0 ? -errno : (int)value;
}

#define SHOW(x) printf("%s: %d\n", #x, result_or_errno(x))

static void show_perm(const char *what, const struct ipc_perm *p)
{
    printf("%s: mode %o, owner %d %d %d %d\n", what, p->mode, p->uid == getuid(),
           p->gid == getgid(), p->cuid == getuid(), p->cgid == getgid());
}

static void use_queues(void)
{
    int id = msgget(IPC_PRIVATE, 0600 | IPC_CREAT), status;
    struct message m = {7, "seven"}, got;
    struct msqid_ds ds;

    printf("msgsnd %d\n", result_or_errno(msgsnd(id, &m, 6, 0)));
    m.type = 3;
    strcpy(m.text, "three, and longer");
    printf("msgsnd %d, type 0: ", result_or_errno(msgsnd(id, &m, 18, 0)));
    m.type = 0;
    printf("%d\n", result_or_errno(msgsnd(id, &m, 18, 0)));
    printf("IPC_STAT %d\n", result_or_errno(msgctl(id, IPC_STAT, &ds)));
    show_perm("queue", &ds.msg_perm);
    printf("%d messages, times %d %d %d, pids %d %d, room %d\n", (int)ds.msg_qnum,
           ds.msg_stime != 0, ds.msg_rtime != 0, ds.msg_ctime != 0, ds.msg_lspid == getpid(),
           ds.msg_lrpid, ds.msg_qbytes >= 8192);
    printf("short %d\n", result_or_errno(msgrcv(id, &got, 4, -5, 0)));
    printf("cut %d", result_or_errno(msgrcv(id, &got, 4, -5, MSG_NOERROR)));
    printf(" %ld %.4s\n", got.type, got.text);
    printf("none %d\n", result_or_errno(msgrcv(id, &got, 64, 5, IPC_NOWAIT)));
    printf("first %d", result_or_errno(msgrcv(id, &got, 64, 0, 0)));
    printf(" %ld %s\n", got.type, got.text);
    ds.msg_perm.mode = 0640;
    SHOW(msgctl(id, IPC_SET, &ds));
    SHOW(msgctl(id, IPC_STAT, &ds));
    printf("mode %o\n", ds.msg_perm.mode);
    if (!fork()) {
        usleep(20000);
        m.type = 9;
        strcpy(m.text, "from the child");
        _exit(msgsnd(id, &m, 15, 0) != 0);
    }
    printf("waited for %d", result_or_errno(msgrcv(id, &got, 64, 9, 0)));
    wait(&status);
    printf(" %s, %d\n", got.text, status);
    if (!fork()) {
        usleep(20000);
        _exit(msgctl(id, IPC_RMID, NULL) != 0);
    }
    printf("removed while waiting: %d\n", result_or_errno(msgrcv(id, &got, 64, 9, 0)));
    wait(&status);
    printf("gone: %d %d, bad pointer %d\n", result_or_errno(msgsnd(id, &m, 6, 0)), status,
           result_or_errno(msgsnd(msgget(4711, 0), &m, 6, 0)));
}

static void on_alarm(int signal)
{
}

static void use_semaphores(void)
{
    int id = semget(IPC_PRIVATE, 3, 0600), status;
    unsigned short all[3] = {1, 2, 3};
    struct sembuf take = {0, -1, 0}, try = {0, -1, IPC_NOWAIT}, both[2] = {{0, -1, 0}, {2, 2, 0}};
    struct timespec soon = {0, 20000000};
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct semid_ds ds;

    SHOW(semctl(id, 0, SETALL, (union semun){.ptr = all}));
    SHOW(semctl(id, 1, SETVAL, (union semun){.val = 20}));
    SHOW(semctl(id, 1, GETVAL));
    SHOW(semctl(id, 2, GETVAL));
    SHOW(semctl(id, 3, GETVAL));
    SHOW(semop(id, &take, 1));
    SHOW(semop(id, &try, 1));
    SHOW(semtimedop(id, &take, 1, &soon));
    if (!fork()) {
        struct sembuf give = {0, 1, 0};

        usleep(20000);
        _exit(semop(id, &give, 1) != 0);
    }
    SHOW(semop(id, both, 2));
    wait(&status);
    memset(all, 0, sizeof(all));
    SHOW(semctl(id, 0, GETALL, (union semun){.ptr = all}));
    printf("%d, %d %d %d, pid %d\n", status, all[0], all[1], all[2],
           semctl(id, 2, GETPID) == getpid());
    printf("IPC_STAT %d", result_or_errno(semctl(id, 0, IPC_STAT, (union semun){.ptr = &ds})));
    printf(" %d, times %d %d\n", (int)ds.sem_nsems, ds.sem_otime != 0, ds.sem_ctime != 0);
    show_perm("set", &ds.sem_perm);
    sigaction(SIGALRM, &action, NULL);
    ualarm(20000, 0);
    printf("interrupted %d\n", result_or_errno(semop(id, &take, 1)));
    if (!fork()) { /* the child's changes are undone when it ends */
        struct sembuf undo = {1, -5, SEM_UNDO};

        _exit(semop(id, &undo, 1) + semctl(id, 1, GETVAL));
    }
    wait(&status);
    printf("undo %d %d\n", WEXITSTATUS(status), semctl(id, 1, GETVAL));
    SHOW(semop(id, &take, 0));
    SHOW(semctl(id, 0, IPC_RMID));
    SHOW(semop(id, &take, 1));
}

static sigjmp_buf back;

static void on_fault(int signal)
{
    siglongjmp(back, 1);
}

static int can_read(volatile char *at)
{
    if (sigsetjmp(back, 1))
        return 0;
    (void)*at;
    return 1;
}

static int can_write(volatile char *at)
{
    if (sigsetjmp(back, 1))
        return 0;
    *at = 1;
    return 1;
}

static int attached_count(int id)
{
    struct shmid_ds ds;

    return shmctl(id, IPC_STAT, &ds) ? -errno : (int)ds.shm_nattch;
}

static void use_shared_memory(void)
{
    int id = shmget(IPC_PRIVATE, 100000, 0600), status, fds[2];
    char *a = shmat(id, NULL, 0), *b = shmat(id, NULL, SHM_RDONLY), *c, *hole, byte;
    struct shmid_ds ds;

    SHOW(attached_count(id));
    strcpy(a + 5000, "text");
    printf("%s %d\n", b + 5000, a[99999]);
    SHOW(can_write(a));
    SHOW(can_write(b));
    SHOW(mprotect(b, 4096, PROT_READ | PROT_WRITE));
    printf("IPC_STAT %d", result_or_errno(shmctl(id, IPC_STAT, &ds)));
    printf(" %d, times %d %d %d, pids %d %d\n", (int)ds.shm_segsz, ds.shm_atime != 0,
           ds.shm_dtime != 0, ds.shm_ctime != 0, ds.shm_cpid == getpid(), ds.shm_lpid == getpid());
    show_perm("segment", &ds.shm_perm);
    pipe(fds);
    if (!fork()) {
        strcpy(a + 9000, "from the child");
        printf("child: attached %d\n", attached_count(id));
        fflush(stdout);
        write(fds[1], "", 1);
        _exit(0);
    }
    read(fds[0], &byte, 1);
    wait(&status);
    printf("%s, attached %d\n", b + 9000, attached_count(id));
    SHOW(shmdt(b));
    SHOW(shmdt(b));
    SHOW(can_read(b));
    SHOW(attached_count(id));
    hole = mmap(NULL, 65536 * 4, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(hole, 65536 * 4);
    hole = (char *)(((uintptr_t)hole + 65535) & ~(uintptr_t)65535);
    c = shmat(id, hole, 0);
    printf("at a place %d %s\n", c == hole, c + 9000);
    SHOW((intptr_t)shmat(id, hole, 0) == -1 ? -1 : 0);
    SHOW((intptr_t)shmat(id, a + 100, 0) == -1 ? -1 : 0);
    munmap(c, 4096); /* part of the segment */
    SHOW(can_read(c));
    SHOW(can_read(c + 9000));
    SHOW(attached_count(id));
    SHOW(shmdt(c));
    SHOW(attached_count(id));
    SHOW(can_read(c + 9000));
    SHOW(shmctl(id, IPC_RMID, NULL));
    printf("still %s\n", a + 9000);
    SHOW(shmdt(a));
    SHOW(attached_count(id));
    SHOW(shmget(IPC_PRIVATE, 0, 0600));
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_fault};

    setbuf(stdout, NULL);
    sigaction(SIGSEGV, &action, NULL);
    use_queues();
    use_semaphores();
    use_shared_memory();
    return 0;
}
