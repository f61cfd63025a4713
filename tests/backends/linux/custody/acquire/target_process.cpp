#include "tests/backends/linux/custody/acquire/target_process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "os/kernel/process_files.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

using std::chrono::milliseconds;

std::string path_of(const std::string& program) {
  return program.find('/') == std::string::npos ? std::string(DPM_TARGETS) + "/acquire_" + program : program;
}

[[noreturn]] void execute(const std::vector<std::string>& command, uid_t user, int input, int output) {
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Opened before becoming the user, who may have no way into the folder where we were built, and no right to run what umask 077 left.
  if (user != 0) ::chmod(path_of(command.front()).c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH);
  const int program = user == 0 ? -1 : ::open(path_of(command.front()).c_str(), O_PATH | O_CLOEXEC);
  const bool is_user = user == 0 || (::setgroups(0, nullptr) == 0 && ::setgid(user) == 0 && ::setuid(user) == 0);
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (is_user && program >= 0) ::execveat(program, "", arguments.data(), environ, AT_EMPTY_PATH);
  if (is_user) ::execvp(path_of(command.front()).c_str(), arguments.data());
  std::perror(command.front().c_str());
  ::_exit(127);
}

}  // namespace

TargetProcess::TargetProcess(const std::vector<std::string>& command, uid_t user) {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
  pid_ = ::fork();
  if (pid_ == 0) execute(command, user, in[0], out[1]);
  ::close(in[0]);
  ::close(out[1]);
  input_ = UniqueFd(in[1]);
  output_ = UniqueFd(out[0]);
}

TargetProcess::~TargetProcess() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  wait_for_end();
}

std::string TargetProcess::read_line(double patience_seconds) {
  while (true) {
    const auto end = read_.find('\n');
    if (end != std::string::npos) {
      const std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    pollfd item{output_.get(), POLLIN, 0};
    if (::poll(&item, 1, static_cast<int>(patience_seconds * 1000)) != 1) return "(nothing came)";
    char text[4096];
    const ssize_t length = ::read(output_.get(), text, sizeof text);
    if (length <= 0) return "(it ended)";
    read_.append(text, static_cast<std::size_t>(length));
  }
}

std::string TargetProcess::read_rest(double patience_seconds) {
  std::string all;
  while (true) {
    const std::string line = read_line(patience_seconds);
    if (line == "(it ended)") return all;
    all += line + "\n";
    if (line == "(nothing came)") return all;
  }
}

void TargetProcess::write(const std::string& text) {
  ::signal(SIGPIPE, SIG_IGN);  // a target that has ended shows in what it says
  if (::write(input_.get(), text.data(), text.size()) < 0) return;
}

int TargetProcess::wait_for_end() {
  int status = 0;
  if (!becomes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) {
    ::kill(pid_, SIGKILL);  // the test fails, and does not hang
    ::waitpid(pid_, &status, 0);
  }
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

namespace {

std::uint64_t written_bytes(std::uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/io");
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value)
    if (name == "wchar:") return value;
  return 0;
}

}  // namespace

bool becomes_true(const std::function<bool()>& condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

bool await_sleep(std::uint32_t pid) {
  constexpr int kLooks = 4;
  int asleep = 0;
  bool ended = false;
  const bool sleeps = becomes_true([&] {
    std::this_thread::sleep_for(milliseconds(2));
    const auto status = read_status(pid);
    ended = !status || status->state == 'Z';
    asleep = !ended && (status->state == 'S' || status->state == 'D') ? asleep + 1 : 0;
    return ended || asleep >= kLooks;
  });
  return sleeps && !ended;
}

bool await_computing(std::uint32_t pid) {
  constexpr std::uint64_t kLongNs = 5'000'000;
  std::uint64_t began_ns = 0, now_ns = 0;
  if (!process_cpu_time_ns(pid, began_ns)) return false;
  return becomes_true([&] { return process_cpu_time_ns(pid, now_ns) && now_ns >= began_ns + kLongNs; });
}

bool await_writing(std::uint32_t pid, std::uint64_t bytes) {
  const std::uint64_t before = written_bytes(pid);
  return becomes_true([&] { return written_bytes(pid) >= before + bytes; });
}

}  // namespace dpm
