/* T32: as A32, with instructions of one or two units. */
#ifndef RANDOM_T32
#define RANDOM_T32
#endif
#include "tests/random/a32/state.h"
