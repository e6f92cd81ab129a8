/* Shared by options.c and options_devices.c: options of disks, network cards, folders, devices. */
#ifndef RUNTIME_MACHINE_OPTIONS_INTERNAL_H
#define RUNTIME_MACHINE_OPTIONS_INTERNAL_H

#include "runtime/machine/options.h"

/* Functions for cli_option.apply, one per option. */
bool options_add_drive(void *options, char *value, struct error *err);
bool options_add_virtfs(void *options, char *value, struct error *err);
bool options_add_fsdev(void *options, char *value, struct error *err);
bool options_add_nic(void *options, char *value, struct error *err);
bool options_add_netdev(void *options, char *value, struct error *err);
bool options_add_device(void *options, char *value, struct error *err);

/* Prints the models of -device. */
void options_print_devices(void);

/* Connects each -device to the back end that it names; false: one does not fit. To be called after
 * all options are read. */
bool options_connect(struct options *o, struct error *err);

/* Releases drives, networks, folders and devices. */
void options_free_devices(struct options *o);

#endif
