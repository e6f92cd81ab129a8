/* External definitions of the inline functions. */
#include "runtime/gpu/numeric/numeric.h"

extern inline uint32_t gpu_bits(float f);
extern inline float gpu_float(uint32_t bits);
extern inline uint64_t gpu_bits64(double d);
extern inline double gpu_double(uint64_t bits);

extern inline double gpu_wide_add(double a, double b, uint8_t mode);
extern inline double gpu_wide_scale(double x, int32_t e);
extern inline float gpu_wide_round(double x, uint8_t mode);
extern inline float gpu_fma(float a, float b, float c);
extern inline float gpu_limit(float x, float low, float high, float other);
extern inline float gpu_round_integral(float x, uint8_t mode);
extern inline int32_t gpu_f32_to_s32(float x, uint8_t mode);
extern inline uint32_t gpu_f32_to_u32(float x, uint8_t mode);

extern inline float gpu_f16_to_f32(uint32_t h);
extern inline uint32_t gpu_f32_to_f16(float x);
extern inline uint32_t gpu_f32_to_f16_mode(float x, uint8_t mode);

extern inline int32_t gpu_exponent(float x, uint32_t *fraction);
extern inline uint32_t gpu_is_special(float x);
extern inline float gpu_split_fraction(float x, uint8_t how);
extern inline int32_t gpu_split_exponent(float x, uint8_t how);
extern inline float gpu_reciprocal_root(float x);
extern inline double gpu_log_slope(double x);
extern inline float gpu_log_difference(float x);
extern inline float gpu_log_reduction(float x);
extern inline float gpu_log_of_reduction(float x, uint8_t natural);
extern inline double gpu_exp2_near(double x);
extern inline float gpu_exp2_fixed(int32_t fixed, float scaled);
