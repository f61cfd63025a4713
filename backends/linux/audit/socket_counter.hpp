// The kernel's own last counts of each TCP socket of this network namespace (TCP_INFO), which the socket diagnosis announces to every
// account when a socket is gone. What program used the socket is not announced: the trace has to name its addresses.
#pragma once

#include <memory>

#include "backends/linux/audit/counts.hpp"
#include "model/result.hpp"

namespace dpm::audit {

class SocketCounter {
 public:
  static Result<SocketCounter> begin();
  SocketCounter(SocketCounter&&) noexcept;
  SocketCounter& operator=(SocketCounter&&) noexcept;
  ~SocketCounter();

  struct Totals {
    Connections connections;
    bool complete = true;  // the kernel dropped no announcement
  };
  // Those that have ended until now, and in a tenth of a second more: the last packets of a connection come after its last call.
  Totals end();

 private:
  struct State;
  explicit SocketCounter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm::audit
