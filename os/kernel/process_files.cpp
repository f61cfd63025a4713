#include "os/kernel/process_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dpm {
namespace {

std::string read_small_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return "";
  char text[8192];
  const ssize_t length = ::read(file.get(), text, sizeof text);
  return length <= 0 ? "" : std::string(text, static_cast<std::size_t>(length));
}

std::string task_path(std::uint32_t pid, std::uint32_t tid) { return fmt::format("/proc/{}/task/{}", pid, tid); }

// A thread's stat file from its state on: what stands before it is a name, which may hold anything. Empty if it is gone.
std::string stat_from_state(std::uint32_t pid, std::uint32_t tid) {
  const std::string text = read_small_file(task_path(pid, tid) + "/stat");
  const auto name_end = text.rfind(") ");
  return name_end == std::string::npos ? "" : text.substr(name_end + 2);
}

// The number after "label:\t" in a status file.
std::uint64_t status_number(const std::string& status, const char* label, int base = 10) {
  const auto at = status.find(fmt::format("\n{}:", label));
  if (at == std::string::npos) return 0;
  return std::strtoull(status.c_str() + at + std::strlen(label) + 2, nullptr, base);
}

struct Mapping {
  CodeRegion region;
  bool executable = false;
};

// "7f12a000-7f12b000 r-xp 00026000 fe:00 1234   /usr/lib/libc.so.6"
std::optional<Mapping> parse_mapping(const std::string& line) {
  Mapping mapping;
  char* at = nullptr;
  mapping.region.start = std::strtoull(line.c_str(), &at, 16);
  if (*at != '-') return std::nullopt;
  mapping.region.end = std::strtoull(at + 1, &at, 16);
  std::istringstream rest(at);
  std::string permissions, device, inode;
  rest >> permissions >> std::hex >> mapping.region.file_offset >> device >> inode >> std::ws;
  std::getline(rest, mapping.region.path);
  mapping.executable = permissions.find('x') != std::string::npos;
  return mapping;
}

}  // namespace

std::optional<ThreadStatus> read_status(std::uint32_t tid) {
  const std::string text = read_small_file(fmt::format("/proc/{}/status", tid));
  if (text.empty()) return std::nullopt;
  const auto number = [&text](const char* label) { return static_cast<std::uint32_t>(status_number(text, label)); };
  ThreadStatus status;
  status.tid = tid;
  status.pid = number("Tgid");
  status.parent_pid = number("PPid");
  status.tracer_pid = number("TracerPid");
  status.user_id = number("Uid");
  status.descriptor_table_size = static_cast<int>(number("FDSize"));
  status.thread_count = static_cast<int>(number("Threads"));
  status.kernel_thread = text.find("\nVmSize:") == std::string::npos && text.find("\nState:\tZ") == std::string::npos;
  const auto state = text.find("\nState:\t");
  if (state != std::string::npos) status.state = text[state + 8];
  constexpr unsigned kAdministrate = 21;
  status.may_administrate = (status_number(text, "CapEff", 16) >> kAdministrate & 1u) != 0;
  status.no_new_privileges = number("NoNewPrivs") == 1;
  status.strict_seccomp = number("Seccomp") == 1;
  status.seccomp_filters = static_cast<int>(number("Seccomp_filters"));
  return status;
}

// "NSpid:\t1234\t7\t1"
std::vector<std::uint32_t> read_inner_numbers(std::uint32_t pid, InnerNumbers which) {
  const std::string text = read_small_file(fmt::format("/proc/{}/status", pid));
  const std::string label = which == InnerNumbers::process ? "\nNSpid:" : "\nNSpgid:";
  std::vector<std::uint32_t> numbers;
  const auto line = text.find(label);
  if (line == std::string::npos) return numbers;
  const char* at = text.c_str() + line + label.size();
  for (char* end = nullptr; *at == '\t'; at = end)
    numbers.push_back(static_cast<std::uint32_t>(std::strtoul(at + 1, &end, 10)));
  return numbers;
}

std::uint64_t read_beginning_ns(std::uint32_t pid, std::uint32_t tid) {
  constexpr int kFieldsBetween = 19;  // "PID (NAME) STATE PPID ... STARTTIME": field 22, and a name may hold anything
  std::istringstream fields(stat_from_state(pid, tid));
  std::string skipped;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  std::uint64_t ticks = 0;
  fields >> ticks;
  const auto ticks_a_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return ticks * (1'000'000'000u / ticks_a_second);
}

std::string read_command_name(std::uint32_t pid, std::uint32_t tid) {
  std::string name = read_small_file(task_path(pid, tid) + "/comm");
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

std::string read_program_path(std::uint32_t pid) {
  char path[PATH_MAX];
  const ssize_t length = ::readlink(fmt::format("/proc/{}/exe", pid).c_str(), path, sizeof path);
  return length <= 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

std::vector<std::uint32_t> read_thread_ids(std::uint32_t pid) {
  std::vector<std::uint32_t> tids;
  DIR* folder = ::opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (folder == nullptr) return tids;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] != '.') tids.push_back(static_cast<std::uint32_t>(std::strtoul(entry->d_name, nullptr, 10)));
  }
  ::closedir(folder);
  return tids;
}

std::optional<bool> is_ending(std::uint32_t pid, std::uint32_t tid) {
  // "1234 (any name) R 1 1234 1234 0 -1 4194560 ...": the flags are the seventh after the name.
  constexpr unsigned long kExiting = 0x4;  // PF_EXITING of the kernel's sched.h
  constexpr int kFieldsBefore = 6;
  const std::string text = read_small_file(task_path(pid, tid) + "/stat");
  auto at = text.rfind(')');
  for (int i = 0; i <= kFieldsBefore && at != std::string::npos; ++i) at = text.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  return (std::strtoul(text.c_str() + at, nullptr, 10) & kExiting) != 0;
}

CallState call_state(std::uint32_t pid, std::uint32_t tid, std::int32_t descriptor) {
  // "0 0x3 0x7ffd..." or "running".
  const std::string text = read_small_file(task_path(pid, tid) + "/syscall");
  const auto space = text.find(' ');
  if (text[0] == 'r') return CallState::running;
  if (space == std::string::npos || text[0] == '-') return CallState::elsewhere;
  const auto argument = static_cast<std::int32_t>(std::strtoull(text.c_str() + space + 1, nullptr, 16));
  if (argument != descriptor) return CallState::elsewhere;
  // A tracer stops a thread before the filter and after the call, and the kernel shows the call in both stops.
  const bool is_stopped_by_tracer = stat_from_state(pid, tid).starts_with('t');
  return is_stopped_by_tracer ? CallState::elsewhere : CallState::in_call;
}

std::optional<CodeRegion> code_region(std::uint32_t pid, std::uint64_t address) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    const auto mapping = parse_mapping(line);
    if (mapping && address >= mapping->region.start && address < mapping->region.end) return mapping->region;
  }
  return std::nullopt;
}

std::vector<CodeRegion> code_regions(std::uint32_t pid) {
  std::vector<CodeRegion> regions;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  for (std::string line; std::getline(maps, line);) {
    const auto mapping = parse_mapping(line);
    if (mapping && mapping->executable && mapping->region.path.starts_with("/")) regions.push_back(mapping->region);
  }
  return regions;
}

LoadGauge::LoadGauge() : file_(::open("/proc/loadavg", O_RDONLY | O_CLOEXEC)) {}

std::uint16_t LoadGauge::runnable(std::int64_t now_ns) {
  constexpr std::int64_t kFreshNs = 1'000'000;
  if (read_at_ns_ >= 0 && now_ns - read_at_ns_ < kFreshNs) return runnable_;
  read_at_ns_ = now_ns;
  char text[128] = "";
  const ssize_t length = file_ ? ::pread(file_.get(), text, sizeof text - 1, 0) : 0;
  if (length <= 0) return runnable_;
  text[length] = '\0';
  // "0.20 0.18 0.12 1/80 11206": the fourth field.
  const char* slash = std::strchr(text, '/');
  if (slash == nullptr) return runnable_;
  const char* digits = slash;
  while (digits > text && digits[-1] != ' ') --digits;
  const unsigned long runnable = std::strtoul(digits, nullptr, 10);
  runnable_ = static_cast<std::uint16_t>(runnable > 0 ? runnable - 1 : 0);  // without the supervisor itself
  return runnable_;
}

}  // namespace dpm
