#include "cli/top/metered_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "os/own_program.hpp"
#include "os/read_file.hpp"
#include "os/unique_fd.hpp"
#include "text/printable.hpp"
#include "trace/trace_follower.hpp"

namespace dpm::cli {
namespace {

constexpr std::chrono::seconds kLongestStart{20};

}  // namespace

Result<MeteredCommand> MeteredCommand::start(const std::vector<std::string>& command, const std::string& output) {
  if (std::filesystem::exists(output)) return Error{fmt::format("'{}' exists already; -o names another", output)};
  const std::string log = output + ".log";
  const UniqueFd file(::open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return Error{fmt::format("cannot make '{}': {}", log, std::strerror(errno))};
  std::vector<std::string> arguments = {own_program(), "meter", "--no-wait", "-o", output, "--"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  const auto pid = start_in_session(arguments, {.input = -1, .output = file.get(), .error = file.get()});
  if (!pid) return pid.error();
  return MeteredCommand(output, log, *pid);
}

Result<void> MeteredCommand::await_trace() {
  const auto late = std::chrono::steady_clock::now() + kLongestStart;
  for (;;) {
    const bool ended = has_ended();  // first: what it wrote is there by then
    if (TraceFollower::open(output_)) return {};
    if (ended) {
      const std::string printed = read_file(log_);
      std::filesystem::remove(log_);
      return Error{printed.empty() ? "the command ended, and was not metered"
                                   : printed.substr(0, printed.find_last_not_of('\n') + 1)};
    }
    if (std::chrono::steady_clock::now() > late)
      return Error{fmt::format("'{}' has no trace yet; the output of the command is in '{}'", output_, log_)};
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool MeteredCommand::has_ended() {
  if (!has_ended_) has_ended_ = ::waitpid(pid_, nullptr, WNOHANG) == pid_;
  return has_ended_;
}

}  // namespace dpm::cli
