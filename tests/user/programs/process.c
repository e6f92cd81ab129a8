/* Processes: pipes, exit statuses and signals of children, shared memory, system(). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t children;

static void on_child(int signal)
{
    (void)signal;
    children++;
}

static void show_status(const char *what, int status)
{
    if (WIFEXITED(status))
        printf("%s: exit %d\n", what, WEXITSTATUS(status));
    else
        printf("%s: signal %d\n", what, WTERMSIG(status));
    fflush(stdout);
}

static void use_pipes(void)
{
    int to[2], from[2], status, sum = 0;
    char line[100];
    pid_t pid;
    FILE *in, *out;

    pipe(to);
    pipe(from);
    pid = fork();
    if (!pid) {
        close(to[1]);
        close(from[0]);
        in = fdopen(to[0], "r");
        out = fdopen(from[1], "w");
        while (fgets(line, sizeof(line), in))
            fprintf(out, "%d\n", atoi(line) * 2);
        fclose(out);
        _exit(3);
    }
    close(to[0]);
    close(from[1]);
    out = fdopen(to[1], "w");
    in = fdopen(from[0], "r");
    for (int n = 0; n < 5000; n++)
        fprintf(out, "%d\n", n);
    fclose(out);
    while (fgets(line, sizeof(line), in))
        sum += atoi(line);
    waitpid(pid, &status, 0);
    printf("sum %d\n", sum);
    show_status("child", status);
    fclose(in);
}

static int run_child(int signal)
{
    int status = -1;
    pid_t pid = fork();

    if (!pid) {
        dup2(open("/dev/null", O_WRONLY), 2); /* QEMU prints a message about the death */
        if (signal == SIGSEGV)
            *(volatile int *)8 = 0;
        raise(signal);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void share_memory(void)
{
    int *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int own = 1, status;
    pid_t pid = fork();

    if (!pid) {
        *shared = 42;
        own = 2;
        _exit(own);
    }
    waitpid(pid, &status, 0);
    printf("shared %d, own %d\n", *shared, own);
    show_status("child", status);
}

int main(void)
{
    char self[4096] = "";

    readlink("/proc/self/exe", self, sizeof(self) - 1);
    printf("me %s\n", strrchr(self, '/'));
    signal(SIGCHLD, on_child);
    use_pipes();
    show_status("segv", run_child(SIGSEGV));
    show_status("term", run_child(SIGTERM));
    show_status("kill", run_child(SIGKILL));
    show_status("abort", run_child(SIGABRT));
    share_memory();
    printf("children %d\n", children);
    show_status("system", system("exit 5"));
    return 0;
}
