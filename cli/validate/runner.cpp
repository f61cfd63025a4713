#include "cli/validate/runner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string_view>

#include "os/fork_bound.hpp"
#include "os/unique_fd.hpp"

namespace dpm::cli {
namespace {

constexpr int kCannotBeTried = 77;
constexpr std::string_view kReasonFollows = "SKIPPED: ";
constexpr int kCouldNotStart = 127;

Result<std::vector<std::string>> command_of(const Claim& claim, const RunnerOptions& options) {
  const std::string script = claim.folder + "/run", program = options.programs_folder + "/validation_" + claim.name;
  std::vector<std::string> command;
  for (const auto& place : {script + ".py", script, program})
    if (command.empty() && access(place.c_str(), X_OK) == 0) command = {std::filesystem::absolute(place).string()};
  if (command.empty())
    return Error{"claim '" + claim.name + "' has no runner: there is no program " + script + ".py, " + script + " or " +
                 program + " ('./dev build' builds it)"};
  if (options.is_quick) command.emplace_back("--quick");
  if (!options.plant.empty()) command.insert(command.end(), {"--plant", options.plant});
  command.insert(command.end(), {"--dpm", options.dpm, "--result", options.result_path});
  return command;
}

// Runs in the child and never returns. `output` gets both output streams. The child ends when dpm ends.
[[noreturn]] void become(const std::vector<std::string>& command, int output) {
  std::vector<char*> words;
  for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(words.front(), words.data());
  const std::string what = std::string("cannot be started: ") + std::strerror(errno) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, what.data(), what.size());
  _exit(kCouldNotStart);
}

// Passes whole lines on until all writers have closed the pipe. Returns the last line that was not empty.
std::string hand_on_lines(int from, const std::function<void(const std::string&)>& say) {
  std::string unfinished, last;
  const auto finish = [&](const std::string& line) {
    say(line);
    if (!line.empty()) last = line;
  };
  char bytes[4096];
  for (;;) {
    const ssize_t count = read(from, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    unfinished.append(bytes, static_cast<std::size_t>(count));
    for (auto end = unfinished.find('\n'); end != std::string::npos; end = unfinished.find('\n')) {
      finish(unfinished.substr(0, end));
      unfinished.erase(0, end + 1);
    }
  }
  if (!unfinished.empty()) finish(unfinished);
  return last;
}

RunnerOutcome outcome_of(int status, std::string last_line) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {RunnerEnding::measured, ""};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotBeTried) {
    if (last_line.starts_with(kReasonFollows)) last_line.erase(0, kReasonFollows.size());
    return {RunnerEnding::skipped, last_line.empty() ? "it gives no reason" : std::move(last_line)};
  }
  const std::string how = WIFEXITED(status) ? "it ended with status " + std::to_string(WEXITSTATUS(status))
                                            : std::string("it died of signal ") + strsignal(WTERMSIG(status));
  return {RunnerEnding::broken, how + (last_line.empty() ? "" : ": " + last_line)};
}

}  // namespace

Result<RunnerOutcome> run_claim(const Claim& claim, const RunnerOptions& options,
                                const std::function<void(const std::string&)>& say) {
  const auto command = command_of(claim, options);
  if (!command) return command.error();
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("make a pipe");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t child = fork_bound(SIGTERM);
  if (child < 0) return Error::from_errno("start " + command->front());
  if (child == 0) become(*command, writing.get());
  writing.reset();
  std::string last_line = hand_on_lines(reading.get(), say);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return outcome_of(status, std::move(last_line));
}

}  // namespace dpm::cli
