/* Poses of a camera: matrices of 4 x 4 by rows, and what changes them. */
#ifndef EXAMPLES_CHAPTER4_POSE_H
#define EXAMPLES_CHAPTER4_POSE_H

struct pose {
    float m[16];
};

/* The pose without rotation at a place, in metres. */
struct pose pose_at(float x, float y, float z);
/* a after b. */
struct pose pose_product(const struct pose *a, const struct pose *b);
/* Of a rotation and a move. */
struct pose pose_inverse(const struct pose *a);
/* A twist (move, rotation) as a pose. */
struct pose pose_of_twist(const double twist[6]);

/* The twist that a row of 32 sums asks for (kfusion.cl, reduce): least squares. */
void solve(const double sums[32], double twist[6]);

#endif
