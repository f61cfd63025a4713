#include "os/kernel/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace dpm {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value, long limit_ns) {
  const timespec limit{limit_ns / 1'000'000'000, limit_ns % 1'000'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, limit_ns > 0 ? &limit : nullptr, nullptr, 0);
}

void wake_all(const std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace dpm
