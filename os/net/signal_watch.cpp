#include "os/net/signal_watch.hpp"

#include "os/net/asio.hpp"

namespace dpm {

struct SignalWatch::State {
  State(asio::io_context& context, int signal, std::function<void()> task)
      : set(context, signal), on_signal(std::move(task)) {}

  static void wait(const std::shared_ptr<State>& state) {
    state->set.async_wait([state](AsioError cancelled, int) {
      if (cancelled || !state->on_signal) return;
      wait(state);
      state->on_signal();
    });
  }

  asio::signal_set set;
  std::function<void()> on_signal;
};

SignalWatch::SignalWatch(asio::io_context& context, int signal, std::function<void()> on_signal)
    : state_(std::make_shared<State>(context, signal, std::move(on_signal))) {
  State::wait(state_);
}

SignalWatch::~SignalWatch() {
  AsioError ignored;
  state_->set.cancel(ignored);
  state_->on_signal = nullptr;
}

}  // namespace dpm
