#include "backends/linux/bpf/bypass_surveys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/counted.hpp"
#include "os/kernel/bypass_survey.hpp"
#include "os/kernel/process_files.hpp"

namespace dpm {

void BypassSurveys::look(const std::vector<std::uint32_t>& processes, std::int64_t now_ns) {
  constexpr std::int64_t kFirstPauseNs = 5'000'000, kPauseMaxNs = 2'000'000'000;
  constexpr int kAtOnce = 4;
  const std::set<std::uint32_t> alive(processes.begin(), processes.end());
  std::erase_if(turns_, [&alive](const auto& entry) { return !alive.contains(entry.first); });
  int looked = 0;
  for (const std::uint32_t pid : processes) {
    auto& [at_ns, pause_ns] = turns_.try_emplace(pid, Turn{now_ns + kFirstPauseNs, kFirstPauseNs}).first->second;
    if (at_ns > now_ns || looked == kAtOnce) continue;
    ++looked;
    pause_ns = std::min(2 * pause_ns, kPauseMaxNs);
    at_ns = now_ns + pause_ns;
    survey(pid);
  }
}

void BypassSurveys::survey(std::uint32_t pid) {
  OpenBypasses open = survey_bypasses(pid);
  const std::string command = read_command_name(pid, pid);
  const std::string name = fmt::format("{} ({})", command.empty() ? "process" : command, pid);
  if (!open.native) not_native_.insert(name);
  open.native = true;
  open.io_uring = false;  // is seen
  account_.add(name, open);
}

std::vector<std::string> BypassSurveys::warnings() const {
  std::vector<std::string> warnings = account_.warnings();
  if (!not_native_.empty())
    warnings.push_back(fmt::format(
        "32-bit programs are metered in part: of {}, such as {}, only the data that sockets moved is recorded",
        counted(not_native_.size(), "process"), *not_native_.begin()));
  return warnings;
}

}  // namespace dpm
