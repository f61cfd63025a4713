#include "cli/sampling/sample_loop.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <array>
#include <chrono>
#include <sstream>

#include "answers/sampling/count_results.hpp"
#include "os/local_clock.hpp"
#include "os/stop_signals.hpp"
#include "sampling/proc/sample_clock.hpp"
#include "text/printable.hpp"
#include "view/terminal/terminal_screen.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;
using sampling::kNsPerSecond;
constexpr std::uint64_t kKeysEvery_ns = 100 * kNsPerMs;

std::uint64_t own_cpu_ns() {
  timespec used = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(used.tv_nsec);
}

class Looper {
 public:
  Looper(const SampleLoop& loop, sampling::ProcSampler& sampler, SampledCommand* command, sampling::CountArray& counts,
         sampling::Diagnostics& diagnostics)
      : loop_(loop), sampler_(sampler), command_(command), counts_(counts), diagnostics_(diagnostics) {}

  Result<void> run() {
    StopSignals signals;
    if (loop_.shows_table) {
      auto screen = view::TerminalScreen::open(loop_.colour);
      if (!screen) return screen.error();
      screen_.emplace(std::move(*screen));
    }
    raise_priority();
    auto clock = sampling::SampleClock::start(loop_.interval_ns);
    if (!clock) return clock.error();
    if (command_ != nullptr) command_->begin();
    const std::uint64_t began_ns = sampling::monotonic_ns(), cpu_began_ns = own_cpu_ns();
    const std::uint64_t end_ns = loop_.most_ns == 0 ? ~std::uint64_t{0} : began_ns + loop_.most_ns;
    while (!is_over_ && sampling::monotonic_ns() < end_ns) {
      wait(*clock, signals, end_ns);
      const std::uint64_t delayed_ns = counts_.account().delay_sum_ns;
      if (clock->take(counts_.account())) {
        diagnostics_.add_delay(counts_.account().delay_sum_ns - delayed_ns);
        take_one();
      }
      if (loop_.samples_most != 0 && counts_.total().samples >= loop_.samples_most) is_over_ = true;
      if (signals.take_end(command_ != nullptr) || command_ends() || sampler_.is_over()) is_over_ = true;
      take_account(began_ns, cpu_began_ns);
      if (loop_.kept != nullptr) loop_.kept->keep_at_times(counts_, sampling::monotonic_ns() - began_ns);
      if (screen_) show();
    }
    take_account(began_ns, cpu_began_ns);
    return {};
  }

 private:
  // As MON did (S4 4.1), where we may; and the timer is not rounded.
  static void raise_priority() {
    ::setpriority(PRIO_PROCESS, 0, -20);
    ::prctl(PR_SET_TIMERSLACK, 1);
  }

  void wait(const sampling::SampleClock& clock, const StopSignals& signals, std::uint64_t end_ns) {
    std::array<pollfd, 4> waited = {pollfd{clock.descriptor(), POLLIN, 0}, pollfd{signals.descriptor(), POLLIN, 0},
                                    pollfd{command_ == nullptr ? -1 : command_->descriptor(), POLLIN, 0},
                                    pollfd{loop_.stacks == nullptr ? -1 : loop_.stacks->descriptor(), POLLIN, 0}};
    const std::uint64_t left_ns = end_ns - std::min(end_ns, sampling::monotonic_ns());
    const std::uint64_t most_ns = screen_ ? kKeysEvery_ns : 10 * kNsPerSecond;
    const std::uint64_t time_ns = std::min(left_ns, most_ns);
    const timespec time = {static_cast<time_t>(time_ns / kNsPerSecond), static_cast<long>(time_ns % kNsPerSecond)};
    ::ppoll(waited.data(), waited.size(), &time, nullptr);
    if (waited[3].revents != 0) loop_.stacks->take();
  }

  void take_one() {
    const std::int64_t began_ns = steady_clock_ns();
    if (!sampler_.take(counts_)) return diagnostics_.add_invalid();
    diagnostics_.add(sampler_.last());
    if (loop_.log != nullptr) loop_.log->add(sampler_.last(), began_ns);
    if (loop_.waits != nullptr) loop_.waits->add(sampler_.last());
    if (loop_.stacks == nullptr) return;
    loop_.stacks->take();
    loop_.stacks->follow(sampler_.process_ids());
  }

  void take_account(std::uint64_t began_ns, std::uint64_t cpu_began_ns) {
    counts_.account().elapsed_ns = sampling::monotonic_ns() - began_ns;
    counts_.account().cpu_ns = own_cpu_ns() - cpu_began_ns;
  }

  bool command_ends() { return command_ != nullptr && command_->has_ended(); }

  std::string before_the_first() const {
    return fmt::format("{}: the first sample is taken after {:g} s\n", printable(counts_.setup().selection),
                       static_cast<double>(loop_.interval_ns) * 1e-9);
  }

  void show() {
    const view::Key key = screen_->wait(std::chrono::milliseconds(0));
    if (key.kind == view::Key::Kind::interrupt || key.character == 'q') is_over_ = true;
    const std::uint64_t now_ns = sampling::monotonic_ns();
    const std::uint64_t samples = counts_.total().samples;
    const bool is_first = shown_samples_ == 0 && samples > 0;
    if (!is_first && now_ns - shown_ns_ < kNsPerSecond && key.kind != view::Key::Kind::resize) return;
    shown_ns_ = now_ns;
    shown_samples_ = samples;
    std::vector<view::ScreenLine> lines;
    std::istringstream text(samples == 0 ? before_the_first() : summary_text(counts_, screen_->size().columns));
    for (std::string line; std::getline(text, line);) lines.push_back({line});
    lines.push_back({"q: end", view::LineStyle::weak});
    screen_->draw(lines);
  }

  const SampleLoop& loop_;
  sampling::ProcSampler& sampler_;
  SampledCommand* command_;
  sampling::CountArray& counts_;
  sampling::Diagnostics& diagnostics_;
  std::optional<view::TerminalScreen> screen_;
  std::uint64_t shown_ns_ = 0, shown_samples_ = 0;
  bool is_over_ = false;
};

}  // namespace

Result<void> take_samples(const SampleLoop& loop, sampling::ProcSampler& sampler, SampledCommand* command,
                          sampling::CountArray& counts, sampling::Diagnostics& diagnostics) {
  return Looper(loop, sampler, command, counts, diagnostics).run();
}

}  // namespace dpm::cli
