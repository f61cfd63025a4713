// DPM_CHECK(condition): "if this is false, we are wrong". On in every build, because a measuring tool that continues
// after its own mistake prints wrong numbers. For errors of the outside world, return an Error instead.
#pragma once

#include <cstdio>
#include <cstdlib>

#define DPM_CHECK(condition)                                                                    \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      std::fprintf(stderr, "dpm: internal error: %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                             \
    }                                                                                           \
  } while (false)
