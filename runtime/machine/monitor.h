/*
 * The monitor: commands to the machine, spelled as QEMU's, for GDB's `monitor` and for the peer of
 * -monitor.
 */
#ifndef RUNTIME_MACHINE_MONITOR_H
#define RUNTIME_MACHINE_MONITOR_H

#include "runtime/machine/machine.h"

/*
 * Sets m->watch: opens options.monitor, or without it the monitor behind Ctrl-A c of the terminal,
 * if there is one. With `wait=on` it waits for a client. False: a bad address, or the host refuses.
 */
bool monitor_open(struct machine *m, struct error *err);

#endif
