/*
 * A Mali for programs of user mode: the render node of Linux's panfrost driver, which Mesa finds in
 * /dev/dri. Jobs run when they are submitted, so that fences are signalled at once.
 */
#ifndef RUNTIME_USER_RENDER_RENDER_H
#define RUNTIME_USER_RENDER_RENDER_H

#include "runtime/user/user.h"

struct gpu_isa;

/* Makes the GPU of -gpu. kind->opaque is an array of struct gpu_isa pointers that ends with NULL:
 * the shader ISAs that the program has. */
struct served_device *render_create(const struct user_device *kind, struct process *p,
                                    struct error *err);

#endif
