#include "backends/linux/supervisor/linux_process_view.hpp"

#include <sys/resource.h>

#include "os/kernel/cgroups.hpp"
#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/strict_mode.hpp"
#include "os/local_clock.hpp"
#include "os/process_handle.hpp"

namespace dpm {

std::int64_t LinuxProcessView::steady_ns() const { return steady_clock_ns(); }

std::uint16_t LinuxProcessView::runnable_tasks(std::int64_t now_ns) { return load_.runnable(now_ns); }

UniqueFd LinuxProcessView::open_thread(std::uint32_t tid, std::uint32_t pid) { return dpm::open_thread(tid, pid); }

bool LinuxProcessView::has_ended(int thread_fd) { return dpm::has_ended(thread_fd); }

std::optional<std::uint32_t> LinuxProcessView::exit_code_of(int thread_fd) { return dpm::exit_code_of(thread_fd); }

std::unique_ptr<ThreadFiles> LinuxProcessView::files_of(std::uint32_t pid, std::uint32_t tid) {
  return std::make_unique<ThreadFiles>(pid, tid);
}

std::optional<ThreadStatus> LinuxProcessView::read_status(std::uint32_t tid) { return dpm::read_status(tid); }

std::optional<bool> LinuxProcessView::is_ending(std::uint32_t pid, std::uint32_t tid) {
  return dpm::is_ending(pid, tid);
}

CallState LinuxProcessView::call_state(std::uint32_t pid, std::uint32_t tid, std::int32_t descriptor) {
  return dpm::call_state(pid, tid, descriptor);
}

std::size_t LinuxProcessView::read_memory(std::uint32_t tid, std::uint64_t address, std::span<std::byte> into) {
  return dpm::read_memory(tid, address, into);
}

CpuCounter LinuxProcessView::count_cpu(std::uint32_t tid, CpuCounter::Scope scope, std::uint64_t used_ns) {
  return CpuCounter(tid, scope, used_ns);
}

bool LinuxProcessView::enter_strict_mode(std::uint32_t tid, std::uint32_t pid) {
  return dpm::enter_strict_mode(tid, pid);
}

std::string LinuxProcessView::read_command_name(std::uint32_t pid, std::uint32_t tid) {
  return dpm::read_command_name(pid, tid);
}

std::string LinuxProcessView::read_program_path(std::uint32_t pid) { return dpm::read_program_path(pid); }

std::string LinuxProcessView::read_cgroup_label(std::uint32_t pid) { return dpm::read_cgroup_label(pid); }

std::optional<ProgramImage> LinuxProcessView::read_program_image(std::uint32_t pid, std::uint32_t tid) {
  return dpm::read_program_image(pid, tid);
}

std::uint64_t LinuxProcessView::read_beginning_ns(std::uint32_t pid, std::uint32_t tid) {
  return dpm::read_beginning_ns(pid, tid);
}

std::vector<std::uint32_t> LinuxProcessView::read_thread_ids(std::uint32_t pid) { return dpm::read_thread_ids(pid); }

bool LinuxProcessView::process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns) {
  return dpm::process_cpu_time_ns(pid, cpu_ns);
}

std::optional<CodeRegion> LinuxProcessView::code_region(std::uint32_t pid, std::uint64_t address) {
  return dpm::code_region(pid, address);
}

ProgramKind LinuxProcessView::program_kind(std::uint32_t pid) { return dpm::program_kind(pid); }

bool LinuxProcessView::has_low_ring(std::uint32_t pid) { return dpm::has_low_ring(pid); }

std::vector<int> LinuxProcessView::read_descriptor_numbers(std::uint32_t pid) {
  return dpm::read_descriptor_numbers(pid);
}

bool LinuxProcessView::has_no_descriptor_left(std::uint32_t pid, std::size_t open) {
  rlimit limit = {};
  return ::prlimit(static_cast<pid_t>(pid), RLIMIT_NOFILE, nullptr, &limit) == 0 && open >= limit.rlim_cur;
}

std::optional<ChildState> LinuxProcessView::read_child(std::uint32_t pid) { return dpm::read_child(pid); }

std::optional<std::vector<std::uint32_t>> LinuxProcessView::read_children(std::uint32_t pid, std::uint32_t tid,
                                                                          std::size_t threads_max) {
  return dpm::read_children(pid, tid, threads_max);
}

std::vector<std::uint32_t> LinuxProcessView::read_children_of_thread(std::uint32_t pid, std::uint32_t tid) {
  return dpm::read_children_of_thread(pid, tid);
}

std::vector<std::uint32_t> LinuxProcessView::read_inner_numbers(std::uint32_t pid, InnerNumbers which) {
  return dpm::read_inner_numbers(pid, which);
}

std::uint32_t LinuxProcessView::process_of(int process_fd) { return dpm::process_of(process_fd); }

}  // namespace dpm
