#include "backends/linux/custody/keeper/detached_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "os/unique_fd.hpp"
#include "os/whole_io.hpp"

namespace dpm {
namespace {

constexpr const char* kReady = "ready";

void close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned from = STDERR_FILENO + 1;
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (number > from) ::syscall(SYS_close_range, from, number - 1, 0);
    from = std::max(from, number + 1);
  }
  ::syscall(SYS_close_range, from, ~0u, 0);
}

void let_go_of_the_terminal() {
  ::setsid();
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, fd);
  if (nowhere > STDERR_FILENO) ::close(nowhere);
  if (::chdir("/") != 0) return;  // then a file system stays busy, which does not harm the program
}

void ignore_signals() {
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const bool is_own_fault = signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
                              signal == SIGABRT || signal == SIGTRAP || signal == SIGSYS;
    ::signal(signal, is_own_fault ? SIG_DFL : SIG_IGN);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::string read_own_stat() {
  const UniqueFd file(::open("/proc/self/stat", O_RDONLY | O_CLOEXEC));
  char text[2048];
  const ssize_t length = file ? ::read(file.get(), text, sizeof text) : 0;
  return length <= 0 ? "" : std::string(text, static_cast<std::size_t>(length));
}

// Our command line is still that of the process that forked us, so that `pkill -f` with the program's name would find us.
// Fields 48 and 49 tell where it lies.
void rename_process(const std::string& name, const std::string& description) {
  ::prctl(PR_SET_NAME, name.c_str());
  const std::string stat = read_own_stat();
  std::size_t at = stat.rfind(')');
  for (int field = 2; field < 48 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  if (at == std::string::npos) return;
  char* rest = nullptr;
  auto* const begin = reinterpret_cast<char*>(std::strtoull(stat.c_str() + at, &rest, 10));
  auto* const end = reinterpret_cast<char*>(std::strtoull(rest, nullptr, 10));
  if (begin == nullptr || end <= begin) return;
  const auto room = static_cast<std::size_t>(end - begin);
  const std::string line = name + " " + description;
  std::memset(begin, 0, room);
  std::copy_n(line.data(), std::min(line.size(), room - 1), begin);
}

void stay_in_memory() {
  // Only present pages: with a small limit, locking future ones would make allocations fail.
  ::mlockall(MCL_CURRENT);
  const UniqueFd score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  const std::string never = "-1000";
  if (score && ::write(score.get(), never.data(), never.size()) < 0) return;  // ordinary accounts may not
}

void report(UniqueFd to, const std::string& text) {
  // If our creator has been killed, the answer is not needed.
  if (::write(to.get(), text.data(), text.size()) < 0) return;
}

[[noreturn]] void become_detached(const std::string& name, const std::string& description,
                                  std::span<const int> descriptors, const DetachedWork& process, UniqueFd ready) {
  std::vector<int> kept(descriptors.begin(), descriptors.end());
  kept.push_back(ready.get());
  let_go_of_the_terminal();
  close_all_but(kept);
  ignore_signals();
  rename_process(name, description);
  stay_in_memory();
  const Result<void> prepared = process.prepare();
  report(std::move(ready), prepared ? kReady : prepared.error().what);
  if (prepared) process.work();
  ::_exit(0);
}

}  // namespace

Result<void> spawn_detached(const std::string& name, const std::string& description, std::span<const int> descriptors,
                            const DetachedWork& process) {
  const std::string doing = "start the process " + name;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno(doing);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t between = ::fork();
  if (between < 0) return Error::from_errno(doing);
  if (between == 0) {
    if (::fork() == 0) become_detached(name, description, descriptors, process, std::move(writing));
    ::_exit(0);
  }
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  writing.reset();
  const std::string said = read_to_end(reading.get());
  if (said == kReady) return {};
  return Error{doing + ": " + (said.empty() ? "no process could be made, or it was killed at once" : said)};
}

}  // namespace dpm
