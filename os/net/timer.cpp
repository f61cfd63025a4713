#include "os/net/timer.hpp"

#include "os/net/asio.hpp"

namespace dpm {

struct Timer::State {
  explicit State(asio::io_context& context) : timer(context) {}
  asio::steady_timer timer;
  std::function<void()> task;  // empty: it is not running
  std::uint64_t started = 0;   // times
};

Timer::Timer(asio::io_context& context) : state_(std::make_shared<State>(context)) {}
Timer::~Timer() { cancel(); }

void Timer::start(std::chrono::nanoseconds time, std::function<void()> task) {
  state_->task = std::move(task);
  const auto times = ++state_->started;
  auto run = [state = state_, times] {
    if (state->started == times && state->task) std::exchange(state->task, nullptr)();
  };
  // Without the kernel's timer, which costs three calls.
  if (time <= std::chrono::nanoseconds::zero()) {
    state_->timer.cancel();
    return asio::post(state_->timer.get_executor(), std::move(run));
  }
  state_->timer.expires_after(std::chrono::duration_cast<asio::steady_timer::duration>(time));
  state_->timer.async_wait([run = std::move(run)](AsioError) { run(); });
}

void Timer::cancel() {
  state_->task = nullptr;
  state_->timer.cancel();
}

bool Timer::is_running() const { return state_->task != nullptr; }

void after(asio::io_context& context, std::chrono::nanoseconds time, std::function<void()> task) {
  const auto timer =
      std::make_shared<asio::steady_timer>(context, std::chrono::duration_cast<asio::steady_timer::duration>(time));
  timer->async_wait([timer, task = std::move(task)](AsioError cancelled) {
    if (!cancelled) task();
  });
}

void later(asio::io_context& context, std::function<void()> task) { asio::post(context, std::move(task)); }

}  // namespace dpm
