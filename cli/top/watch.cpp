#include "cli/top/watch.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/top/waits_now.hpp"

namespace dpm::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kEventsAtOnce = 100'000;       // keys are looked for between two readings
constexpr std::uint64_t kEventsAgainMost = 5'000'000;  // a longer trace keeps the numbers of its first reading
constexpr std::chrono::milliseconds kLook{100};        // between two looks for new events

class Watch {
 public:
  Watch(FollowedTrace& trace, const std::string& path, TopScreen& screen, view::TerminalScreen& terminal)
      : trace_(trace), path_(path), screen_(screen), terminal_(terminal) {}

  void run() {
    while (is_watched_) {
      const bool more = trace_.read(kEventsAtOnce);
      if (trace_.is_over()) {
        show_end();
      } else if (!more || has_caught_up_) {
        has_caught_up_ = true;
        show_period();
      }
      const bool waits = !more || trace_.is_over();
      take_keys(waits ? kLook : std::chrono::milliseconds(0));
    }
  }

 private:
  void show_period() {
    const auto now = Clock::now();
    const double passed_s = std::chrono::duration<double>(now - since_).count();
    if (before_ && passed_s < screen_.period_s()) return;
    TraceTotals after = trace_.totals();
    TopNumbers numbers;
    if (!before_) {
      numbers = rates_of_run(after, trace_.info(), screen_.threads());
    } else {
      const double period_s = period_between_s(*before_, after, passed_s, trace_.info());
      numbers = rates_between(*before_, after, period_s, trace_.info(), screen_.threads());
    }
    waits_.look(numbers, trace_.info(), screen_.threads());
    show(std::move(numbers));
    before_ = std::move(after);
    since_ = now;
  }

  void show_end() {
    if (!end_) {
      end_ = {trace_.info(), trace_.totals()};
      if (end_->totals.statistics.events <= kEventsAgainMost)
        if (auto ended = read_totals(path_)) end_ = std::move(*ended);
      threads_shown_ = !screen_.threads();
    }
    if (threads_shown_ == screen_.threads()) return;
    threads_shown_ = screen_.threads();
    show(rates_of_run(end_->totals, end_->info, screen_.threads()));
  }

  void show(TopNumbers numbers) {
    history_.add(numbers);
    screen_.show(std::move(numbers), history_);
    draw();
  }

  void take_keys(std::chrono::milliseconds time) {
    view::Key key = terminal_.wait(time);
    if (key.kind == view::Key::Kind::none) return;
    for (; key.kind != view::Key::Kind::none && is_watched_; key = terminal_.wait(std::chrono::milliseconds(0)))
      is_watched_ = screen_.press(key);
    draw();
  }

  void draw() { terminal_.draw(screen_.lines(terminal_.size())); }

  FollowedTrace& trace_;
  const std::string& path_;
  TopScreen& screen_;
  view::TerminalScreen& terminal_;
  TopHistory history_;
  WaitsNow waits_;
  std::optional<TraceTotals> before_;
  std::optional<EndedTrace> end_;
  Clock::time_point since_ = Clock::now();
  bool has_caught_up_ = false, is_watched_ = true, threads_shown_ = false;
};

}  // namespace

void watch(FollowedTrace& trace, const std::string& path, TopScreen& screen, view::TerminalScreen& terminal) {
  Watch(trace, path, screen, terminal).run();
}

}  // namespace dpm::cli
