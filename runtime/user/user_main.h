/*
 * The program of user mode, for the ABI that is linked with it: user_abi of abi.h.
 */
#ifndef RUNTIME_USER_USER_MAIN_H
#define RUNTIME_USER_USER_MAIN_H

struct user_device;

/* Reads the command line `argv`, which ends with NULL, and runs the program that it names. Returns
 * main()'s status if there was nothing to run: 0 after --help and the like, 2 after an error, which
 * is printed on standard error. Otherwise the process ends as the program did: with its exit code,
 * or by its signal. `device` is the kind of device that -gpu makes; NULL: none. */
int user_main(char **argv, const struct user_device *device);

#endif
