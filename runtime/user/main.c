/* A program of user mode; its ABI and CPU are linked with it. */
#include "runtime/user/user_main.h"

int main(int argc, char **argv)
{
    (void)argc;
    return user_main(argv);
}
