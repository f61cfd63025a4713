#include "backends/linux/custody/acquire/acquire.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include "backends/linux/calls/metered_call.hpp"
#include "backends/linux/custody/acquire/injector.hpp"
#include "backends/linux/custody/acquire/refusals.hpp"
#include "backends/linux/custody/acquire/target.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"
#include "os/kernel/seccomp_program.hpp"

namespace dpm {
namespace {

std::vector<SeccompInstruction> filter_for(const AcquireOptions& options) {
  const auto harmless = harmless_calls();
  std::vector<int> calls(harmless.begin(), harmless.end());
  if (options.exact_paths) calls.insert(calls.end(), path_calls().begin(), path_calls().end());
  return seccomp_program({calls, calls_of_32_bit_code()});
}

// The injector was killed. The process goes on by itself: either it soon has the filter and a spare listener that can be
// taken, or it is unchanged.
Result<MeteredProgram> pick_up(const AcquireTarget& target, const AcquireOptions& options) {
  const auto began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < std::chrono::nanoseconds(options.patience.ns)) {
    const auto now = read_status(target.pid);
    if (now && now->seccomp_filters > target.filters) {
      auto rescued = rescue(target.pid);
      if (rescued) {
        rescued->exact_paths = options.exact_paths;
        return rescued;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return Error{about(target) + "the process that was to acquire it, dpm-acquire, was killed; try again"};
}

}  // namespace

Result<MeteredProgram> acquire(std::uint32_t pid, const AcquireOptions& options) {
  const auto target = examine_target(pid);
  if (!target) return target.error();
  if (auto error = metered_already(*target)) return *error;
  auto slots = NotificationSlots::create();
  if (!slots) return slots.error();
  auto injector = Injector::start(*target, filter_for(options), options);
  if (!injector) return injector.error();
  auto outcome = injector->await();
  if (!outcome) return pick_up(*target, options);
  if (!*outcome) return outcome->error();
  MeteredProgram program{.pid = pid,
                         .command = target->name,
                         .exact_paths = options.exact_paths,
                         .privileges_given_up = (*outcome)->privileges_given_up,
                         .listener = std::move((*outcome)->listener),
                         .slots = *std::move(slots)};
  if (auto kept = start_keeper(program); !kept) return kept.error();
  injector->release();
  return program;
}

}  // namespace dpm
