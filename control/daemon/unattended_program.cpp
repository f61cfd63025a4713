#include "control/daemon/unattended_program.hpp"

#include <utility>

#include "backends/linux/custody/keeper/stopped_meter.hpp"
#include "control/agents/program_processes.hpp"
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
    : handlers_(std::move(handlers)),
      group_([pid] {
        auto all = descendants_of(pid);
        all.insert(all.begin(), pid);
        return all;
      }),
      end_(context, std::move(process)),
      stat_(std::move(stat)),
      look_timer_(context) {
  if (auto cgroup = ProgramCgroup::of(pid)) group_.set_cgroup(*std::move(cgroup));
  was_still_ = is_still();
  end_.when_readable([this] { handlers_.on_end(); });
  look_timer_.start(kLookEvery, [this] { look(); });
}

bool UnattendedProgram::is_still() const { return is_stopped(stat_) || group_.is_frozen(); }

control::ProcessState UnattendedProgram::state() const {
  return is_still() ? control::ProcessState::stopped : control::ProcessState::running;
}

void UnattendedProgram::stop() {
  if (!has_ended(end_.fd())) group_.stop();
}

void UnattendedProgram::go_on() {
  if (!has_ended(end_.fd())) group_.go_on(is_stopped(stat_));
}

void UnattendedProgram::kill() {
  if (!has_ended(end_.fd())) group_.kill();
}

void UnattendedProgram::look() {
  look_timer_.start(kLookEvery, [this] { look(); });
  const bool still = is_still();
  if (std::exchange(was_still_, still) != still) handlers_.on_change();
}

}  // namespace dpm
