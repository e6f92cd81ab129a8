/* A signal's context in T32 guests: as in A32, compiled for T32. */
#include "tests/random/a32/guest_context.h"
