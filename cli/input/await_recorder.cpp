#include "cli/input/await_recorder.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/terminal.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/recording_lock.hpp"

namespace dpm::cli {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::milliseconds kLookAgain{10};
constexpr std::chrono::milliseconds kSilent{300};  // shorter waits need no words

// A process that has ended and that nobody has waited for does not run.
bool is_running(std::uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  const std::size_t name_end = text.rfind(')');  // the name before it may hold anything
  return name_end != std::string::npos && name_end + 2 < text.size() && text[name_end + 2] != 'Z';
}

// The first process of the program runs, if the trace says already which that is; or the recorder has said that it
// waits for more, and that the trace is complete so far.
bool is_worth_reading(const std::string& directory) {
  const auto sidecar = read_sidecar(directory);
  if (!sidecar || sidecar->info.processes.empty()) return false;
  if (sidecar->paused) return true;
  const std::uint32_t pid = sidecar->info.processes.front().pid;
  return pid != 0 && is_running(pid);
}

// Processes that the command has left behind are still metered: what there is so far was written beside the trace, by
// a recorder that is not about to finish.
bool goes_on_after_the_command(const std::string& directory) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(directory).parent_path() / "results.json", ignored);
}

}  // namespace

void await_recorder(const std::string& directory) {
  if (!is_being_recorded(directory) || is_worth_reading(directory) || goes_on_after_the_command(directory)) return;
  const Terminal terminal = standard_terminal();
  Progress progress(terminal);
  const auto begin = std::chrono::steady_clock::now();
  bool is_said = false;
  while (is_being_recorded(directory)) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > kPatience) return;
    if (waited > kSilent && !is_said) progress.show("waiting for the recorder of " + directory + " to finish");
    is_said = is_said || waited > kSilent;
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace dpm::cli
