/* Signals of faults that another process sends. QEMU 7.2 sometimes dies of them. */
//= received 11
//= received 7
//= died 11
//= died 7
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int received;

static void on_sent(int signal)
{
    received = signal;
}

static void send_to_child(int signal_sent, void (*handler)(int))
{
    int ends[2], status;
    char c;
    pid_t pid;

    pipe(ends);
    fflush(stdout);
    pid = fork();
    if (!pid) {
        signal(signal_sent, handler);
        write(ends[1], "x", 1);
        while (!received)
            usleep(1000);
        _exit(received);
    }
    read(ends[0], &c, 1);
    kill(pid, signal_sent);
    wait(&status);
    if (WIFEXITED(status))
        printf("received %d\n", WEXITSTATUS(status));
    else
        printf("died %d\n", WTERMSIG(status));
}

int main(void)
{
    send_to_child(SIGSEGV, on_sent);
    send_to_child(SIGBUS, on_sent);
    send_to_child(SIGSEGV, SIG_DFL);
    send_to_child(SIGBUS, SIG_DFL);
    return 0;
}
