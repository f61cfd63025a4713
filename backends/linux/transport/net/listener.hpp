// Accepts connections at a listening socket until it is gone.
#pragma once

#include <functional>

#include "backends/linux/transport/net/descriptor.hpp"
#include "backends/linux/transport/net/timer.hpp"

namespace dpm {

class Listener {
 public:
  // `socket` does not block; nor do the connections that `on_accept` gets. `on_shortage`: there is no descriptor for a
  // connection that waits; it is tried again a little later.
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
