#include "os/kernel/tracee.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "os/process_handle.hpp"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL  // since Linux 6.9
#endif

namespace dpm {
namespace {

UniqueFd open_task_file(std::uint32_t pid, std::uint32_t tid, const char* name) {
  const std::string path = fmt::format("/proc/{}/task/{}/{}", pid, tid, name);
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

bool read_again(const UniqueFd& file, std::span<char> text) {
  if (!file) return false;
  const ssize_t length = ::pread(file.get(), text.data(), text.size() - 1, 0);
  if (length <= 0) return false;
  text[static_cast<std::size_t>(length)] = '\0';
  return true;
}

// The number after `label`, or 0.
std::uint64_t number_after(const char* text, const char* label) {
  const char* at = std::strstr(text, label);
  return at == nullptr ? 0 : std::strtoull(at + std::strlen(label), nullptr, 10);
}

}  // namespace

UniqueFd open_thread(std::uint32_t tid, std::uint32_t pid) {
  UniqueFd thread(static_cast<int>(::syscall(SYS_pidfd_open, tid, PIDFD_THREAD)));
  if (thread) return thread;
  return open_process(pid);
}

UniqueFd borrow_descriptor(int thread_fd, int fd) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_getfd, thread_fd, fd, 0)));
}

std::size_t read_memory(std::uint32_t tid, std::uint64_t address, std::span<std::byte> into) {
  iovec here{into.data(), into.size()};
  iovec there{reinterpret_cast<void*>(address), into.size()};
  const ssize_t length = ::process_vm_readv(static_cast<pid_t>(tid), &here, 1, &there, 1, 0);
  return length < 0 ? 0 : static_cast<std::size_t>(length);
}

void read_memory(std::uint32_t tid, std::span<const MemoryPart> parts) {
  constexpr std::size_t kAtOnce = 1024;  // UIO_MAXIOV
  std::vector<iovec> here, there;
  for (std::size_t done = 0; done < parts.size(); done += here.size()) {
    here.clear();
    there.clear();
    std::size_t bytes = 0;
    for (const MemoryPart& part : parts.subspan(done, std::min(kAtOnce, parts.size() - done))) {
      here.push_back({part.into.data(), part.into.size()});
      there.push_back({reinterpret_cast<void*>(part.address), part.into.size()});
      bytes += part.into.size();
    }
    const ssize_t read =
        ::process_vm_readv(static_cast<pid_t>(tid), here.data(), here.size(), there.data(), there.size(), 0);
    if (read < 0 || static_cast<std::size_t>(read) < bytes) return;
  }
}

bool process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns) {
  const auto clock = static_cast<clockid_t>((~pid << 3) | 2u);  // CPUCLOCK_SCHED of the whole process
  timespec time = {};
  if (::clock_gettime(clock, &time) != 0) return false;
  cpu_ns = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
  return true;
}

bool ThreadFiles::cpu_time_ns(std::uint64_t& cpu_ns) {
  if (!schedstat_) schedstat_ = open_task_file(pid_, tid_, "schedstat");
  char text[96];
  if (!read_again(schedstat_, text)) return false;
  cpu_ns = std::strtoull(text, nullptr, 10);
  return true;
}

bool ThreadFiles::transferred(Transferred& bytes) {
  if (!io_) io_ = open_task_file(pid_, tid_, "io");
  char text[256];
  if (!read_again(io_, text)) return false;
  bytes.read_bytes = number_after(text, "rchar: ");
  bytes.written_bytes = number_after(text, "wchar: ");
  bytes.reads = number_after(text, "syscr: ");
  bytes.writes = number_after(text, "syscw: ");
  return true;
}

bool ThreadFiles::child_handling(ChildHandling& handling) {
  // "1234 (any name) S 1 GROUP ...": the group is field 5; fields 32 to 34 are the signals that are blocked, ignored and
  // caught, bit n-1 for signal n.
  constexpr int kGroup = 5, kBlocked = 32, kIgnored = 33, kCaught = 34;
  constexpr unsigned long kChild = 1ul << (SIGCHLD - 1);
  if (!stat_) stat_ = open_task_file(pid_, tid_, "stat");
  char text[1024];
  if (!read_again(stat_, text)) return false;
  const char* at = std::strrchr(text, ')');
  for (int field = 2; at != nullptr && field < kCaught;) {
    at = std::strchr(at + 1, ' ');
    if (at == nullptr) return false;
    ++field;
    const unsigned long value = std::strtoul(at, nullptr, 10);
    if (field == kGroup) handling.group = static_cast<std::uint32_t>(value);
    if (field == kBlocked) handling.blocked = (value & kChild) != 0;
    if (field == kIgnored) handling.ignored = (value & kChild) != 0;
    if (field == kCaught) handling.caught = (value & kChild) != 0;
  }
  return at != nullptr;
}

bool ThreadFiles::stack_pointer(std::uint64_t& address) {
  if (!syscall_) syscall_ = open_task_file(pid_, tid_, "syscall");
  char text[256];
  if (!read_again(syscall_, text)) return false;
  // The call's number, six arguments, stack pointer, program counter; or "running".
  const char* at = std::strrchr(text, ' ');
  if (at == nullptr || text[0] == 'r') return false;
  while (at > text && at[-1] != ' ') --at;
  address = std::strtoull(at, nullptr, 16);
  return address != 0;
}

}  // namespace dpm
