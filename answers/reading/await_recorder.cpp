#include "answers/reading/await_recorder.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "text/terminal.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/recording_lock.hpp"

namespace dpm::cli {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kLookAgain{10};
constexpr std::chrono::milliseconds kSilent{300};  // shorter waits are not reported

// A zombie does not run.
bool is_running(std::uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  const std::size_t name_end = text.rfind(')');  // the name before it may contain any character
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

// True when the program's first process is known and runs, or when the recorder has marked the trace as complete so far
// and waits for more.
bool is_worth_reading(const std::string& directory) {
  const auto sidecar = read_sidecar(directory);
  if (!sidecar || sidecar->info.processes.empty()) return false;
  if (sidecar->paused) return true;
  const std::uint32_t pid = sidecar->info.processes.front().pid;
  return pid != 0 && is_running(pid);
}

// True when the command has ended and processes that it left behind are still metered: the recorder has written the
// results so far beside the trace, and is not about to finish.
bool goes_on_after_the_command(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(directory).parent_path() / "results.json", ignored);
}

}  // namespace

void await_recorder(const std::string& directory) {
  if (!is_being_recorded(directory) || is_worth_reading(directory) || goes_on_after_the_command(directory)) return;
  const Terminal terminal = standard_terminal();
  ProgressLine progress(terminal);
  const auto begin = std::chrono::steady_clock::now();
  bool is_shown = false;
  while (is_being_recorded(directory)) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > kPatience) return;
    if (waited > kSilent && !is_shown) progress.show("waiting for the recorder of " + directory + " to finish");
    is_shown = is_shown || waited > kSilent;
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace dpm::cli
