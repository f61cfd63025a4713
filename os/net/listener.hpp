// Accepts connections at a listening socket until it is destroyed.
#pragma once

#include <functional>

#include "os/net/descriptor.hpp"
#include "os/net/timer.hpp"

namespace dpm {

class Listener {
 public:
  // `socket` and the connections that `on_accept` gets are non-blocking. `on_shortage`: no descriptor was left for a
  // waiting connection; the listener tries again a little later.
  Listener(asio::io_context& context, UniqueFd socket, std::function<void(UniqueFd)> on_accept,
           std::function<void()> on_shortage = {});

  int fd() const { return socket_.fd(); }

 private:
  void accept();

  std::function<void(UniqueFd)> on_accept_;
  std::function<void()> on_shortage_;
  Timer pause_;
  Descriptor socket_;
};

}  // namespace dpm
