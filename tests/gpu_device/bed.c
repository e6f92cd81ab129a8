/* Makes the board that most tests of jobs and of the MMU start from. */

#include "tests/gpu_device/bed.h"

struct bed bed_new(void)
{
    struct bed bed = {.d = board_new()};

    bed.root = space_new(bed.d);
    bed.page = board_page(bed.d);
    driver_resume(bed.d);
    space_map(bed.d, bed.root, VA, bed.page, PAGE_RW);
    driver_enable(bed.d, 0, bed.root);
    return bed;
}
