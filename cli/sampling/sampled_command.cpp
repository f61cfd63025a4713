#include "cli/sampling/sampled_command.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "os/find_program.hpp"
#include "os/process_handle.hpp"
#include "os/whole_io.hpp"

namespace dpm::cli {
namespace {

constexpr int kSignalBase = 128;  // of exit statuses
constexpr int kNotBegun = 125;

[[noreturn]] void become(const std::vector<std::string>& words, int gate) {
  char byte = 0;
  ssize_t came = 0;
  while ((came = ::read(gate, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (came != 1) ::_exit(kNotBegun);  // the sampler has ended, or could not begin
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  ::_exit(127);
}

}  // namespace

Result<SampledCommand> SampledCommand::prepare(const std::vector<std::string>& words) {
  const FoundProgram program = find_program(words.front());
  if (!program) return Error{program.problem};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("make a pipe");
  UniqueFd gate_read(ends[0]), gate(ends[1]);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = ::fork();
  if (child < 0) return Error::from_errno("start '" + words.front() + "'");
  if (child == 0) {
    gate.reset();
    become(words, gate_read.get());
  }
  const auto pid = static_cast<std::uint32_t>(child);
  return SampledCommand(pid, open_process(pid), std::move(gate));
}

void SampledCommand::begin() {
  write_all(gate_.get(), "b");
  gate_.reset();
}

bool SampledCommand::has_ended() {
  int status = 0;
  for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (static_cast<std::uint32_t>(ended) != pid_) continue;
    has_ended_ = true;
    exit_status_ = WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return has_ended_;
}

}  // namespace dpm::cli
