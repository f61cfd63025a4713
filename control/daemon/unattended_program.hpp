// A program whose supervisor was killed. It goes on without a meter, and its daemon watches it instead: reports its end and
// that it is stopped or continued, and stops, continues and kills it with its descendants. Processes whose parents
// have ended are found only if the program has a cgroup.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "control/agents/program_group.hpp"
#include "control/protocol/control_message.hpp"
#include "os/net/descriptor.hpp"
#include "os/net/timer.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class UnattendedProgram {
 public:
  struct Handlers {
    std::function<void()> on_change;  // of state()
    std::function<void()> on_end;
  };

  // Returns null if the process does not exist.
  static std::unique_ptr<UnattendedProgram> watch(asio::io_context& context, std::uint32_t pid, Handlers handlers);

  control::ProcessState state() const;  // running or stopped
  void stop();
  void go_on();
  void kill();
  // Once it has ended: what is left of it goes on by itself.
  void dissolve() { group_.dissolve(); }

 private:
  UnattendedProgram(asio::io_context& context, std::uint32_t pid, UniqueFd process, UniqueFd stat, Handlers handlers);
  bool is_still() const;
  void look();

  Handlers handlers_;
  ProgramGroup group_;
  Descriptor end_;  // a pidfd
  UniqueFd stat_;
  bool was_still_ = false;
  Timer look_timer_;
};

}  // namespace dpm
