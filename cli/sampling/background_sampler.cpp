#include "cli/sampling/background_sampler.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "answers/sampling/sampler_setup.hpp"
#include "os/local_clock.hpp"

namespace dpm::cli {
namespace {

// Signals of the process are for the thread that waits for them: a new thread begins with those of its maker.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  NoSignals(const NoSignals&) = delete;
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Result<std::unique_ptr<BackgroundSampler>> BackgroundSampler::start(std::uint32_t pid, const std::string& path,
                                                                    std::uint64_t interval_ns) {
  auto selection = sampling::select_tree({pid}, "pid " + std::to_string(pid));
  if (!selection) return selection.error();
  auto made = set_up_sampler("auto", interval_ns, *selection);
  if (!made) return made.error();
  auto log = sampling::StateLogWriter::create(path, made->setup, local_clock_offset_ns());
  if (!log) return log.error();
  auto clock = sampling::SampleClock::start(interval_ns);
  if (!clock) return clock.error();
  UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop) return Error::from_errno("make an eventfd");
  return std::unique_ptr<BackgroundSampler>(
      new BackgroundSampler(sampling::ProcSampler(*std::move(selection), std::move(made->looker)), *std::move(log),
                            *std::move(clock), std::move(stop)));
}

BackgroundSampler::BackgroundSampler(sampling::ProcSampler sampler, sampling::StateLogWriter log,
                                     sampling::SampleClock clock, UniqueFd stop)
    : sampler_(std::move(sampler)), log_(std::move(log)), clock_(std::move(clock)), stop_(std::move(stop)) {
  const NoSignals during_start;
  thread_ = std::thread([this] { run(); });
}

BackgroundSampler::~BackgroundSampler() { static_cast<void>(end()); }

Result<void> BackgroundSampler::end() {
  const std::uint64_t one = 1;
  if (thread_.joinable() && ::write(stop_.get(), &one, sizeof one) == sizeof one) thread_.join();
  return log_.status();
}

void BackgroundSampler::run() {
  // Of this thread only; where we may.
  ::setpriority(PRIO_PROCESS, 0, -20);
  ::prctl(PR_SET_TIMERSLACK, 1);
  sampling::CountArray counts{sampling::SamplingSetup{}};
  while (!sampler_.is_over()) {
    std::array<pollfd, 2> waited = {pollfd{clock_.descriptor(), POLLIN, 0}, pollfd{stop_.get(), POLLIN, 0}};
    ::poll(waited.data(), waited.size(), -1);
    if (waited[1].revents != 0) return;
    if (!clock_.take(counts.account())) continue;
    const std::int64_t began_ns = steady_clock_ns();
    if (sampler_.take(counts)) log_.add(sampler_.last(), began_ns);
  }
}

}  // namespace dpm::cli
