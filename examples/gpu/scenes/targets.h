/* What features of targets share: what is drawn to a target of any format. */
#ifndef EXAMPLES_GPU_SCENES_TARGETS_H
#define EXAMPLES_GPU_SCENES_TARGETS_H

#include "scenes.h"

/* A format that can be a target, with all of `flags`. */
const struct format *pick_target(struct scene *, unsigned flags);
/* Bits that an integer has in all components of a format: what does not fit is undefined. */
int bits_of(const struct format *);
/* A program whose triangles have the colours of their corners, as components of the format's kind.
 */
GLuint color_program(struct scene *, const struct format *);
/* Draws `count` random triangles, about a quarter of the frame each: at most 12. */
void draw_triangles(struct scene *, GLuint program, int count);
/* Clears the frame to random values. */
void clear_frame(struct scene *, const struct format *);
void random_scissor(struct scene *);
/* No blending, no scissor, all components written. */
void plain_state(void);
/* Clears, draws, blends and masks: what a target must be able to do, in random order. With more
 * than one sample there is no scissor: llvmpipe's covers samples of the pixels beside it. */
void use_target(struct scene *, const struct format *, GLuint program, int samples);

#endif
