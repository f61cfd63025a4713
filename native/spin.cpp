#include "native/spin.hpp"

#include "native/board.hpp"

namespace dpm::native {

// Reading the clock costs a system call of some 0.3 us, so that work is done in between, in pieces of about a
// microsecond: the last piece is what a computation may last too long.
void spin(Duration cpu_time) {
  constexpr int kStepsOfAPiece = 1000;
  const std::int64_t end_ns = own_cpu_ns() + cpu_time.ns;
  volatile std::uint32_t work = 1;
  while (own_cpu_ns() < end_ns)
    for (int step = 0; step < kStepsOfAPiece; ++step) work = work * 1664525u + 1013904223u;
}

}  // namespace dpm::native
