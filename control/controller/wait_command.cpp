#include "control/controller/wait_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <vector>

#include "control/controller/listed.hpp"

namespace dpm::control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Result<std::chrono::seconds> read_seconds(const std::string& word) {
  constexpr unsigned kMost = 1'000'000'000;
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (error != std::errc() || end != word.data() + word.size() || seconds > kMost)
    return Error{fmt::format("'{}' is not a number of seconds", word)};
  return std::chrono::seconds(seconds);
}

bool is_number(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Outcome WaitCommand::perform(const Words& words) {
  std::string job_name;
  std::optional<Clock::time_point> end;
  for (const auto& word : words) {
    if (is_number(word) && !(job_name.empty() && computation_.has_job(word))) {
      const auto seconds = read_seconds(word);
      if (!seconds) return console_.fail("wait: " + seconds.error().what);
      end = Clock::now() + *seconds;
    } else if (job_name.empty()) {
      if (const auto job = computation_.job(word); !job) return console_.fail("wait: " + job.error().what);
      job_name = word;
    } else {
      return console_.fail(fmt::format("wait: '{}' is not a number of seconds", word));
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
