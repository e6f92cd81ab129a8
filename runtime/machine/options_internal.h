/* What options.c and options_devices.c share: disks, cards, folders, and what they are plugged into. */
#ifndef RUNTIME_MACHINE_OPTIONS_INTERNAL_H
#define RUNTIME_MACHINE_OPTIONS_INTERNAL_H

#include "runtime/machine/options.h"

/* One option each, as cli_option.apply. */
bool options_add_drive(void *options, char *value, struct error *err);
bool options_add_virtfs(void *options, char *value, struct error *err);
bool options_add_fsdev(void *options, char *value, struct error *err);
bool options_add_nic(void *options, char *value, struct error *err);
bool options_add_netdev(void *options, char *value, struct error *err);
bool options_add_device(void *options, char *value, struct error *err);

/* Prints what -device knows. */
void options_print_devices(void);

/* Once all were read: gives each -device what it names, and refuses what fits nowhere. */
bool options_connect(struct options *o, struct error *err);

void options_free_devices(struct options *o);

#endif
