/*
 * A live view of the screen by VNC (RFB, RFC 6143), with keys and pointer. The server's thread
 * never accesses the machine: it requests pictures and delivers input by clock_post(). So without
 * input a run is the same with and without the server.
 */
#ifndef RUNTIME_DISPLAY_VNC_H
#define RUNTIME_DISPLAY_VNC_H

#include "runtime/display/display.h"
#include "runtime/time/clock.h"

struct vnc;

/*
 * Serves `display` at "[HOST]:N", port 5900 + N, on 127.0.0.1 unless HOST, an IPv4 address, is
 * given. `title` is the name of the desktop. NULL on failure. Release with vnc_close() before the
 * display.
 */
struct vnc *vnc_open(struct display *display, struct clock *clock, const char *address,
                     const char *title, struct error *err);

struct journal;
/* Records the viewers' input; in a replay it is ignored. To be called before the machine runs. */
void vnc_set_journal(struct vnc *vnc, struct journal *journal);

/* Ends the server. NULL is allowed. */
void vnc_close(struct vnc *vnc);

#endif
