// The questions of ProcessView, asked of this machine's kernel.
#pragma once

#include "backends/linux/supervisor/process_view.hpp"

namespace dpm {

class LinuxProcessView : public ProcessView {
 public:
  std::int64_t steady_ns() const override;
  std::uint16_t runnable_tasks(std::int64_t now_ns) override;
  UniqueFd open_thread(std::uint32_t tid, std::uint32_t pid) override;
  bool has_ended(int thread_fd) override;
  std::optional<std::uint32_t> exit_code_of(int thread_fd) override;
  std::unique_ptr<ThreadFiles> files_of(std::uint32_t pid, std::uint32_t tid) override;
  std::optional<ThreadStatus> read_status(std::uint32_t tid) override;
  std::optional<bool> is_ending(std::uint32_t pid, std::uint32_t tid) override;
  CallState call_state(std::uint32_t pid, std::uint32_t tid, std::int32_t descriptor) override;
  std::size_t read_memory(std::uint32_t tid, std::uint64_t address, std::span<std::byte> into) override;
  CpuCounter count_cpu(std::uint32_t tid, CpuCounter::Scope scope, std::uint64_t used_ns) override;
  bool enter_strict_mode(std::uint32_t tid, std::uint32_t pid) override;
  std::string read_command_name(std::uint32_t pid, std::uint32_t tid) override;
  std::string read_program_path(std::uint32_t pid) override;
  std::string read_cgroup_label(std::uint32_t pid) override;
  std::optional<ProgramImage> read_program_image(std::uint32_t pid, std::uint32_t tid) override;
  std::uint64_t read_beginning_ns(std::uint32_t pid, std::uint32_t tid) override;
  std::vector<std::uint32_t> read_thread_ids(std::uint32_t pid) override;
  bool process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns) override;
  std::optional<CodeRegion> code_region(std::uint32_t pid, std::uint64_t address) override;
  ProgramKind program_kind(std::uint32_t pid) override;
  bool has_low_ring(std::uint32_t pid) override;
  std::vector<int> read_descriptor_numbers(std::uint32_t pid) override;
  bool has_no_descriptor_left(std::uint32_t pid, std::size_t open) override;
  std::optional<ChildState> read_child(std::uint32_t pid) override;
  std::optional<std::vector<std::uint32_t>> read_children(std::uint32_t pid, std::uint32_t tid,
                                                          std::size_t threads_max) override;
  std::vector<std::uint32_t> read_children_of_thread(std::uint32_t pid, std::uint32_t tid) override;
  std::vector<std::uint32_t> read_inner_numbers(std::uint32_t pid, InnerNumbers which) override;
  std::uint32_t process_of(int process_fd) override;

 private:
  LoadGauge load_;
};

}  // namespace dpm
