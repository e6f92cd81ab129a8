/* Changes where jumps of finished code lead. */
#include "runtime/jit/quick/target.h"

/* At least the bytes of a jump that patch() changes. */
enum { JUMP_BYTES = 8 };

bool quick_patch_jump(struct arena *a, struct chunk *chunk, uint8_t *jump, const void *to,
                      bool must)
{
    if (!arena_own(a, chunk, must))
        return false;
    q_target.patch(jump, to, a->write);
    __builtin___clear_cache((char *)jump, (char *)jump + JUMP_BYTES);
    return true;
}

bool quick_patch_exit(const struct q_exit *e, const void *to, bool must)
{
    return quick_patch_jump(&e->from->jit->arena, e->from->chunk, e->jump, to, must);
}
