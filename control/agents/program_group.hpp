// All processes of a program, to be stopped, continued and killed: through its cgroup, where it has one, and by signals where
// it has none, or where processes have left it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "control/agents/program_cgroup.hpp"

namespace dpm {

class ProgramGroup {
 public:
  // The program's processes, as far as their parents show.
  using Find = std::function<std::vector<std::uint32_t>()>;

  explicit ProgramGroup(Find find) : find_(std::move(find)) {}
  void set_cgroup(ProgramCgroup cgroup) { cgroup_ = std::move(cgroup); }
  const std::optional<ProgramCgroup>& cgroup() const { return cgroup_; }

  void stop();
  // `by_signal`: a signal has stopped it, too.
  void go_on(bool by_signal);
  void kill();
  bool is_frozen() const { return cgroup_ && cgroup_->is_frozen(); }
  // What is left of the program goes on.
  void dissolve();

 private:
  enum class Targets : std::uint8_t { all, outside };  // of the cgroup
  // Until it finds no new ones: after SIGSTOP or SIGKILL none is left that could create more.
  void signal_all(int signal, Targets targets) const;

  Find find_;
  std::optional<ProgramCgroup> cgroup_;
};

}  // namespace dpm
