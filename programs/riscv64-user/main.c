/* riscv64-user: runs a Linux program of RV64 on the host's system calls. */
#include "runtime/user/user_main.h"

int main(int argc, char **argv)
{
    (void)argc;
    return user_main(argv);
}
