#include "cli/meter/command_end.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "model/check.hpp"

namespace dpm::cli {
namespace {

constexpr int kLooks = 30, kLookAgainMs = 10;

}  // namespace

CommandEnd::CommandEnd(UniqueFd process_fd, std::function<bool()> others_run, std::function<void()> left_behind)
    : process_fd_(std::move(process_fd)),
      over_(::eventfd(0, EFD_CLOEXEC)),
      others_run_(std::move(others_run)),
      left_behind_(std::move(left_behind)) {
  DPM_CHECK(over_);
  thread_ = std::thread([this] { run(); });
}

CommandEnd::~CommandEnd() {
  const std::uint64_t one = 1;
  DPM_CHECK(::write(over_.get(), &one, sizeof one) == sizeof one);
  thread_.join();
}

// Returns false when the watch is over.
bool CommandEnd::pause(int limit_ms, bool for_process) {
  pollfd items[] = {{over_.get(), POLLIN, 0}, {for_process ? process_fd_.get() : -1, POLLIN, 0}};
  while (::poll(items, 2, limit_ms) < 0) {
  }
  return items[0].revents == 0;
}

void CommandEnd::run() {
  if (!pause(-1, true)) return;
  for (int looks = 0; looks < kLooks;) {
    if (!pause(kLookAgainMs, false)) return;
    looks = others_run_() ? looks + 1 : 0;  // in a container, some are found after the command's end
  }
  left_behind_();
}

}  // namespace dpm::cli
