/* The referee's guest for half precision, of AArch64 too. */
#define OPS_FILE "half_ops.def"
#include "guest_a64.c"
