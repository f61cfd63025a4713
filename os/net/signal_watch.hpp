// Waits for a signal. Threads that it must not interrupt block it.
#pragma once

#include <functional>
#include <memory>

#include "os/net/io_context.hpp"

namespace dpm {

class SignalWatch {
 public:
  // `on_signal` is called after each signal, or once for several that came together.
  SignalWatch(asio::io_context& context, int signal, std::function<void()> on_signal);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace dpm
