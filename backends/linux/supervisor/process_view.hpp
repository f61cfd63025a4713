// What the supervisor asks the kernel about metered processes and threads: an interface, so that a test can answer from
// a script. process_files.hpp, cgroups.hpp, children.hpp and tracee.hpp of os/kernel describe each question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "os/kernel/bypass_survey.hpp"
#include "os/kernel/children.hpp"
#include "os/kernel/cpu_counter.hpp"
#include "os/kernel/process_files.hpp"
#include "os/kernel/program_image.hpp"
#include "os/kernel/tracee.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class ProcessView {
 public:
  virtual ~ProcessView() = default;

  virtual std::int64_t steady_ns() const = 0;  // by the clock that is never set
  virtual std::uint16_t runnable_tasks(std::int64_t now_ns) = 0;

  // ---- a thread
  virtual UniqueFd open_thread(std::uint32_t tid, std::uint32_t pid) = 0;
  virtual bool has_ended(int thread_fd) = 0;
  virtual std::optional<std::uint32_t> exit_code_of(int thread_fd) = 0;
  virtual std::unique_ptr<ThreadFiles> files_of(std::uint32_t pid, std::uint32_t tid) = 0;
  virtual std::optional<ThreadStatus> read_status(std::uint32_t tid) = 0;
  virtual std::optional<bool> is_ending(std::uint32_t pid, std::uint32_t tid) = 0;
  virtual CallState call_state(std::uint32_t pid, std::uint32_t tid, std::int32_t descriptor) = 0;
  virtual std::size_t read_memory(std::uint32_t tid, std::uint64_t address, std::span<std::byte> into) = 0;
  virtual CpuCounter count_cpu(std::uint32_t tid, CpuCounter::Scope scope, std::uint64_t used_ns) = 0;
  // As in os/kernel/strict_mode.hpp.
  virtual bool enter_strict_mode(std::uint32_t tid, std::uint32_t pid) = 0;

  // ---- a process
  virtual std::string read_command_name(std::uint32_t pid, std::uint32_t tid) = 0;
  virtual std::string read_program_path(std::uint32_t pid) = 0;
  virtual std::string read_cgroup_label(std::uint32_t pid) = 0;
  virtual std::optional<ProgramImage> read_program_image(std::uint32_t pid, std::uint32_t tid) = 0;
  virtual std::uint64_t read_beginning_ns(std::uint32_t pid, std::uint32_t tid) = 0;
  virtual std::vector<std::uint32_t> read_thread_ids(std::uint32_t pid) = 0;
  virtual bool process_cpu_time_ns(std::uint32_t pid, std::uint64_t& cpu_ns) = 0;
  virtual std::optional<CodeRegion> code_region(std::uint32_t pid, std::uint64_t address) = 0;
  virtual ProgramKind program_kind(std::uint32_t pid) = 0;
  virtual bool has_low_ring(std::uint32_t pid) = 0;
  virtual std::vector<int> read_descriptor_numbers(std::uint32_t pid) = 0;
  // Whether the process, which has `open` descriptors, may not open another.
  virtual bool has_no_descriptor_left(std::uint32_t pid, std::size_t open) = 0;

  // ---- its children
  virtual std::optional<ChildState> read_child(std::uint32_t pid) = 0;
  virtual std::optional<std::vector<std::uint32_t>> read_children(std::uint32_t pid, std::uint32_t tid,
                                                                  std::size_t threads_max) = 0;
  virtual std::vector<std::uint32_t> read_children_of_thread(std::uint32_t pid, std::uint32_t tid) = 0;
  virtual std::vector<std::uint32_t> read_inner_numbers(std::uint32_t pid, InnerNumbers which) = 0;
  virtual std::uint32_t process_of(int process_fd) = 0;
};

}  // namespace dpm
