/*
 * Execution of other programs. QEMU leaves it to the host's kernel, which cannot run them, so the
 * expected lines are given here.
 */
//= other-name: [child] [x y] [] A=1 B=2
//= exec: exit 4
//= other-name: [child] [x y] [] A=(null) B=(null)
//= spawn 0
//= waitid 17 1 4
//= vforked: [child] A=(null) B=(null)
//= vfork: exit 2
//= script: [child] [./script] [last] A=(null) B=(null)
//= script: exit 4
//= mask 1, ignored 1
//= masks: exit 0
//= no program -1 2
//= no children -1 10
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void show_status(const char *what, int status)
{
    printf("%s: exit %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    fflush(stdout);
}

static int run_program(const char *file, char *const *args, char *const *env)
{
    int status = -1;
    pid_t pid = fork();

    if (!pid) {
        execve(file, args, env);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void run_scripts(const char *self)
{
    char *args[] = {"script", "last", NULL};
    FILE *file = fopen("script", "w");

    fprintf(file, "#!%s child\n", self);
    fclose(file);
    chmod("script", 0755);
    show_status("script", run_program("./script", args, environ));
}

static void run_with_masks(const char *self)
{
    char *args[] = {"masks", "masks", NULL};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR2, SIG_IGN);
    show_status("masks", run_program(self, args, environ));
}

static int show_as_child(int argc, char **argv)
{
    struct sigaction action;
    const char *name = strrchr(argv[0], '/') ? "script" : argv[0];
    sigset_t set;

    if (!strcmp(argv[1], "masks")) {
        sigprocmask(SIG_BLOCK, NULL, &set);
        sigaction(SIGUSR2, NULL, &action);
        printf("mask %d, ignored %d\n", sigismember(&set, SIGUSR1), action.sa_handler == SIG_IGN);
        return 0;
    }
    printf("%s:", name);
    for (int n = 1; n < argc; n++)
        printf(" [%s]", argv[n]);
    printf(" A=%s B=%s\n", getenv("A"), getenv("B"));
    return argc;
}

int main(int argc, char **argv)
{
    char *args[] = {"other-name", "child", "x y", "", NULL}, *env[] = {"A=1", "B=2", NULL};
    char self[4096] = "";
    siginfo_t info = {0};
    int status;
    pid_t pid;

    if (argc > 1)
        return show_as_child(argc, argv);
    readlink("/proc/self/exe", self, sizeof(self) - 1);
    show_status("exec", run_program(self, args, env));
    printf("spawn %d\n", posix_spawn(&pid, self, NULL, NULL, args, environ));
    waitid(P_PID, (id_t)pid, &info, WEXITED);
    printf("waitid %d %d %d\n", info.si_signo, info.si_code, info.si_status);
    fflush(stdout);
    pid = vfork();
    if (!pid) {
        execl(self, "vforked", "child", (char *)NULL);
        _exit(1);
    }
    waitpid(pid, &status, 0);
    show_status("vfork", status);
    run_scripts(self);
    run_with_masks(self);
    printf("no program %d", execl("/nowhere", "nowhere", (char *)NULL));
    printf(" %d\n", errno);
    printf("no children %d", wait(&status));
    printf(" %d\n", errno);
    return 0;
}
