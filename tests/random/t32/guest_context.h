/* T32: as A32, compiled for T32. */
#include "tests/random/a32/guest_context.h"
