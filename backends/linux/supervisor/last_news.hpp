// What the kernel announces a moment after the program's last call: the ends of its last processes and sockets.
#pragma once

#include "backends/linux/supervisor/call_handler.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class LastNews {
 public:
  LastNews(Shared& shared, CallHandler& handler) : shared_(shared), handler_(handler) {}

  void await_ends_of_processes();
  void await_ends_of_sockets();

 private:
  Shared& shared_;
  CallHandler& handler_;
};

}  // namespace dpm
