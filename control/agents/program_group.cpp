#include "control/agents/program_group.hpp"

#include <sys/types.h>

#include <csignal>
#include <set>

namespace dpm {

void ProgramGroup::stop() { signal_all(SIGSTOP, cgroup_ && cgroup_->freeze() ? Targets::outside : Targets::all); }

void ProgramGroup::go_on(bool by_signal) {
  const bool was_frozen = is_frozen();
  if (was_frozen) cgroup_->thaw();
  // A program that was only frozen does not know that it was stopped: it gets no SIGCONT.
  signal_all(SIGCONT, was_frozen && !by_signal ? Targets::outside : Targets::all);
}

void ProgramGroup::kill() {
  if (cgroup_) cgroup_->kill();
  signal_all(SIGKILL, Targets::all);
}

void ProgramGroup::dissolve() {
  if (cgroup_) cgroup_->dissolve();
  cgroup_.reset();
}

void ProgramGroup::signal_all(int signal, Targets targets) const {
  std::set<std::uint32_t> known;
  for (bool found_others = true; found_others;) {
    found_others = false;
    const auto found = find_();
    // Looked at after that: what was found inside is still inside.
    const auto inside = targets == Targets::outside ? cgroup_->processes() : std::vector<std::uint32_t>();
    const std::set<std::uint32_t> spared(inside.begin(), inside.end());
    for (const auto pid : found) {
      if (!known.insert(pid).second) continue;
      found_others = true;
      if (!spared.contains(pid)) ::kill(static_cast<pid_t>(pid), signal);
    }
  }
}

}  // namespace dpm
