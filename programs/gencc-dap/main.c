/* gencc-dap: shaders in editors that speak the Debug Adapter Protocol. */
#include <stdlib.h>
#include <unistd.h>

#include "programs/gencc-dap/dap.h"
#include "runtime/base/cli.h"

enum { EXIT_USAGE = 2 };

/* The job runs on a thread of the cores, which no request can end. */
static void end_program(struct dap *d)
{
    (void)d;
    _exit(EXIT_SUCCESS);
}

/* Answers the command line, which has nothing but -help and -version. Returns the status, or -1 to
 * serve. */
static int answer_words(char **argv)
{
    static const struct cli command_line = {.count = 0};
    struct error err;

    switch (cli_read(&command_line, NULL, argv, &err)) {
    case CLI_HELP:
        fputs("gencc-dap\n"
              "Debugs the kernel of a GPU memory snapshot for an editor, by the Debug Adapter\n"
              "Protocol on standard input and output. The editor's `launch` has `snapshot`, the\n"
              "file, and may have `gpu`, `source` (OpenCL C), `kernel` (its name), "
              "`stopOnEntry`.\n\n",
              stdout);
        cli_print(&command_line, stdout);
        return EXIT_SUCCESS;
    case CLI_VERSION:
        cli_print_version("gencc-dap", stdout);
        return EXIT_SUCCESS;
    case CLI_WRONG:
        fprintf(stderr, "gencc-dap: %s\n", err.text);
        return EXIT_USAGE;
    case CLI_DONE:
        break;
    }
    return -1;
}

int main(int argc, char **argv)
{
    int status = answer_words(argv), out;

    (void)argc;
    if (status >= 0)
        return status;
    /* Messages of the simulator must not stand between those of the protocol. */
    out = dup(STDOUT_FILENO);
    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return EXIT_FAILURE;
    dap_serve(STDIN_FILENO, out, end_program);
    close(out);
    return EXIT_SUCCESS;
}
