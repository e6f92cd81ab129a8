/* WITH_ADDRESS_SANITIZER: whether code is compiled with AddressSanitizer, by GCC or by clang. */
#ifndef RUNTIME_BASE_SANITIZER_H
#define RUNTIME_BASE_SANITIZER_H

#ifdef __SANITIZE_ADDRESS__ /* GCC */
#define WITH_ADDRESS_SANITIZER 1
#elif defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define WITH_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef WITH_ADDRESS_SANITIZER
#define WITH_ADDRESS_SANITIZER 0
#endif

#endif
