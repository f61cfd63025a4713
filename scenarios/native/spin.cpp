#include "scenarios/native/spin.hpp"

#include "scenarios/native/board.hpp"

namespace dpm::native {

// Reading the clock costs a system call of about 0.3 us, so work is done in between, in pieces of about a microsecond. A
// computation lasts at most one piece too long.
void spin(Duration cpu_time) {
  constexpr int kStepsOfAPiece = 1000;
  const std::int64_t end_ns = own_cpu_ns() + cpu_time.ns;
  volatile std::uint32_t work = 1;
  while (own_cpu_ns() < end_ns)
    for (int step = 0; step < kStepsOfAPiece; ++step) work = work * 1664525u + 1013904223u;
}

}  // namespace dpm::native
