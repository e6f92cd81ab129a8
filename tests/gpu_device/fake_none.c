/* What board.c knows of the fake cores, for tests with the real ones. */
#include "tests/gpu_device/fake_compute.h"

struct power_energy fake_energy;
unsigned fake_mhz, fake_starts, fake_steps, fake_live;
