#include "control/controller/wait_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <optional>
#include <vector>

#include "control/controller/listed.hpp"
#include "text/duration_text.hpp"

namespace dpm::control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Names of jobs begin with letters, most of them.
bool is_like_a_time(const std::string& word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}

}  // namespace

Outcome WaitCommand::perform(const Words& words) {
  std::string job_name;
  std::optional<Clock::time_point> end;
  for (const auto& word : words) {
    const bool is_a_job = job_name.empty() && computation_.has_job(word);
    if (is_like_a_time(word) && !is_a_job) {
      const auto time = duration_from(word);
      if (!time) return console_.fail("wait: " + time.error().what);
      end = Clock::now() + std::chrono::nanoseconds(time->ns);
    } else if (job_name.empty()) {
      if (const auto job = computation_.job(word); !job) return console_.fail("wait: " + job.error().what);
      job_name = word;
    } else {
      return console_.fail("wait: " + duration_from(word).error().what);
    }
  }
  while (true) {
    reports_.show();
    reports_.flush_late();
    std::vector<std::string> running, unreachable;
    for (const auto& job : computation_.jobs()) {
      if (!job_name.empty() && job.name != job_name) continue;
      for (const auto& process : job.processes) {
        if (process.state != ProcessState::running) continue;
        (process.is_unreachable ? unreachable : running)
            .push_back(fmt::format("'{}' in job '{}'", process.name, job.name));
      }
    }
    const bool is_over = running.empty() && !reports_.is_behind();
    if (is_over && !unreachable.empty())
      return console_.fail("wait: not waiting for unreachable processes: " + listed(unreachable));
    if (is_over) return Outcome::done;
    const auto now = Clock::now();
    if (end.has_value() && now >= *end && !running.empty())
      return console_.fail("wait: still running: " + listed(running));
    milliseconds patience = reports_.patience();
    if (end.has_value()) patience = std::min(patience, std::max(std::chrono::ceil<milliseconds>(*end - now), {}));
    if (machines_.wait(patience) == Machines::Waited::interrupted)
      return console_.fail(running.empty() ? "wait: interrupted"
                                           : "wait: interrupted; still running: " + listed(running));
  }
}

}  // namespace dpm::control
