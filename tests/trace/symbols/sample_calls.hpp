// Calls whose locations are known: each returns the address that it returns to, and the line it is called from.
#pragma once

#include <cstdint>

namespace sample {

struct Call {
  std::uint64_t pc = 0;
  int line = 0;
};

Call plain_call();
Call call_in_inlined_function();

class Clock {
 public:
  Call method(int) const;
};

}  // namespace sample

extern "C" sample::Call sample_c_call();
