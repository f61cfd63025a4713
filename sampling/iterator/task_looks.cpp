#include "sampling/iterator/task_looks.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>

namespace dpm::sampling {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
// include/linux/sched.h, Linux 6.1 to 6.18.
constexpr std::string_view kLetters = "RSDTtXZP";
constexpr std::uint32_t kReported = 0x7f, kIdle = 0x402, kUninterruptible = 0x2;
constexpr std::uint32_t kFrozen = 0x8000, kWaitsForRealTimeLock = 0x1000;

std::uint64_t ticks_of(std::uint64_t ns) {
  static const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return ns / (kNsPerSecond / ticks_per_second);
}

}  // namespace

char letter_of(std::uint32_t state) {
  if ((state & kIdle) == kIdle) return 'I';
  if ((state & (kFrozen | kWaitsForRealTimeLock)) != 0) state = kUninterruptible;
  return kLetters[static_cast<std::size_t>(std::bit_width(state & kReported))];
}

TaskLook look_of(const dpm_task_record& record, KernelSymbols& symbols) {
  TaskLook look{.thread = record.thread, .seen_ns = static_cast<std::int64_t>(record.seen_ns)};
  look.stat = {.letter = letter_of(record.state),
               .parent = record.parent,
               .group = record.group,
               .session = record.session,
               .terminal = record.terminal,
               .foreground_group = record.foreground_group,
               .threads = record.threads,
               .start_ticks = ticks_of(record.began_ns),
               .processor = record.processor};
  look.counters = {record.ran_ns, record.waited_ns, record.turns};
  if (look.stat.letter != 'S' && look.stat.letter != 'D') return look;
  look.call.number = record.call;
  std::copy(std::begin(record.arguments), std::end(record.arguments), look.call.arguments.begin());
  const std::size_t frames = std::min<std::size_t>(record.stack_frames, dpm_stack_depth);
  const std::vector<std::uint64_t> stack(record.stack, record.stack + frames);
  look.wchan = symbols.wait_channel(stack);
  return look;
}

}  // namespace dpm::sampling
