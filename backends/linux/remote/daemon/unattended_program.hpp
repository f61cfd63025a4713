// A program whose supervisor was killed. It goes on without a meter, and its daemon watches it instead. The daemon learns when
// the program stops, continues and ends, and can send signals to it and its descendants. It does not find descendants whose
// parents have ended.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "backends/linux/remote/protocol/control_message.hpp"
#include "backends/linux/transport/net/descriptor.hpp"
#include "backends/linux/transport/net/timer.hpp"
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
  void signal(int number);

 private:
  UnattendedProgram(asio::io_context& context, std::uint32_t pid, UniqueFd process, UniqueFd stat, Handlers handlers);
  void look();

  std::uint32_t pid_;
  Handlers handlers_;
  Descriptor end_;  // a pidfd
  UniqueFd stat_;
  bool was_stopped_;
  Timer look_timer_;
};

}  // namespace dpm
