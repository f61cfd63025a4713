#include "scheduling/placing/linux_affinity_calls.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <thread>

#include "os/kernel/process_files.hpp"
#include "os/kernel/scopes.hpp"
#include "os/unique_fd.hpp"
#include "scheduling/placing/topology.hpp"

namespace dpm {
namespace {

// cpu_set_t has room for 1024 CPUs; machines may have more.
constexpr std::size_t kWords = (kCpuMost + 1) / (8 * sizeof(unsigned long));
constexpr int kBits = 8 * sizeof(unsigned long);
using Mask = std::array<unsigned long, kWords>;

// A fork takes 0.1 to 1 ms, and some turns of the CPU more when it is preempted.
constexpr std::chrono::milliseconds kStartTakes(25);

}  // namespace

std::optional<ThreadFacts> parse_thread_facts(std::string_view stat) {
  const auto after_name = stat.rfind(')');
  if (after_name == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(after_name + 1);
  ThreadFacts facts;
  // proc(5): the state is field 3, then the parent 4, the session 6, the beginning 22, the CPU 39.
  int field = 2;
  while (!stat.empty()) {
    const auto begin = stat.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    stat.remove_prefix(begin);
    const std::string_view word = stat.substr(0, stat.find(' '));
    stat.remove_prefix(word.size());
    ++field;
    const auto read = [&](auto& number) {
      return std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc{};
    };
    if (field == 3) facts.has_ended = word == "Z" || word == "X";
    if (field == 4 && !read(facts.parent_pid)) return std::nullopt;
    if (field == 6 && !read(facts.session)) return std::nullopt;
    if (field == 22 && !read(facts.began_ticks)) return std::nullopt;
    if (field == 39) return read(facts.cpu) ? std::optional(facts) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> LinuxAffinityCalls::processes() { return read_all_processes(); }

std::vector<std::uint32_t> LinuxAffinityCalls::threads_of(std::uint32_t pid) { return read_thread_ids(pid); }

std::optional<ThreadFacts> LinuxAffinityCalls::facts_of(std::uint32_t pid, std::uint32_t tid) {
  const std::string path = fmt::format("/proc/{}/task/{}/stat", pid, tid);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[2048];
  const ssize_t length = file ? ::read(file.get(), text, sizeof text) : 0;
  if (length <= 0) return std::nullopt;
  return parse_thread_facts({text, static_cast<std::size_t>(length)});
}

std::optional<CpuSet> LinuxAffinityCalls::affinity_of(std::uint32_t tid) {
  Mask mask = {};
  if (::sched_getaffinity(static_cast<pid_t>(tid), sizeof mask, reinterpret_cast<cpu_set_t*>(mask.data())) != 0)
    return std::nullopt;
  CpuSet cpus;
  for (int cpu = 0; cpu <= kCpuMost; ++cpu)
    if ((mask[static_cast<std::size_t>(cpu / kBits)] >> (cpu % kBits) & 1) != 0) cpus.insert(cpu);
  return cpus;
}

int LinuxAffinityCalls::set_affinity(std::uint32_t tid, const CpuSet& cpus) {
  Mask mask = {};
  for (const int cpu : cpus)
    if (cpu <= kCpuMost) mask[static_cast<std::size_t>(cpu / kBits)] |= 1ul << (cpu % kBits);
  const auto* set = reinterpret_cast<const cpu_set_t*>(mask.data());
  return ::sched_setaffinity(static_cast<pid_t>(tid), sizeof mask, set) == 0 ? 0 : errno;
}

CpuSet LinuxAffinityCalls::online() { return read_online("/sys/devices/system"); }

void LinuxAffinityCalls::let_starts_end() { std::this_thread::sleep_for(kStartTakes); }

}  // namespace dpm
