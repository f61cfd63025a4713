#include "backends/linux/remote/daemon/unattended_program.hpp"

#include <utility>

#include "backends/linux/custody/keeper/stopped_meter.hpp"
#include "backends/linux/remote/agents/program_processes.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

constexpr std::chrono::seconds kLookEvery{1};  // only a parent is told when a process stops

}  // namespace

std::unique_ptr<UnattendedProgram> UnattendedProgram::watch(asio::io_context& context, std::uint32_t pid,
                                                            Handlers handlers) {
  UniqueFd stat = open_process_state(pid), process = open_process(pid);
  if (!stat || !process || has_ended(process.get())) return nullptr;
  return std::unique_ptr<UnattendedProgram>(
      new UnattendedProgram(context, pid, std::move(process), std::move(stat), std::move(handlers)));
}

UnattendedProgram::UnattendedProgram(asio::io_context& context, std::uint32_t pid, UniqueFd process, UniqueFd stat,
                                     Handlers handlers)
    : pid_(pid),
      handlers_(std::move(handlers)),
      end_(context, std::move(process)),
      stat_(std::move(stat)),
      was_stopped_(is_stopped(stat_)),
      look_timer_(context) {
  end_.when_readable([this] { handlers_.on_end(); });
  look_timer_.start(kLookEvery, [this] { look(); });
}

control::ProcessState UnattendedProgram::state() const {
  return is_stopped(stat_) ? control::ProcessState::stopped : control::ProcessState::running;
}

void UnattendedProgram::signal(int number) {
  if (!has_ended(end_.fd())) signal_with_descendants(pid_, number);
}

void UnattendedProgram::look() {
  look_timer_.start(kLookEvery, [this] { look(); });
  const bool stopped = is_stopped(stat_);
  if (std::exchange(was_stopped_, stopped) != stopped) handlers_.on_change();
}

}  // namespace dpm
