/* A program of user mode; its ABI and CPU are linked with it, and a device if USER_DEVICE names
 * one. */
#include <stddef.h>

#include "runtime/user/user_main.h"

#ifdef USER_DEVICE
extern const struct user_device USER_DEVICE;
static const struct user_device *const device = &USER_DEVICE;
#else
static const struct user_device *const device = NULL;
#endif

int main(int argc, char **argv)
{
    (void)argc;
    return user_main(argv, device);
}
