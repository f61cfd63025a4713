#include "sampling/iterator/task_iterator.hpp"

#ifdef DPM_HAS_TASK_ITERATOR
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>

#include "os/load_messages.hpp"
#include "os/process_namespace.hpp"
#include "os/read_file.hpp"
#include "os/unique_fd.hpp"
#include "sampling/iterator/kernel_symbols.hpp"
#include "sampling/iterator/task_looks.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wconversion"
#include "sampling/iterator/look_at_tasks.skel.h"
#pragma GCC diagnostic pop
#endif

namespace dpm::sampling {

#ifndef DPM_HAS_TASK_ITERATOR

Result<std::unique_ptr<TaskLooker>> open_task_iterator() {
  return Error{"this dpm was built without clang, bpftool or libbpf"};
}

#else
namespace {

constexpr std::size_t kRecordsAtOnce = 128;

int keep_message(libbpf_print_level level, const char* format, va_list values) {
  return level == LIBBPF_DEBUG ? 0 : LoadMessages::keep(format, values);
}

struct DestroyPrograms {
  void operator()(look_at_tasks* programs) const { look_at_tasks__destroy(programs); }
};
using Programs = std::unique_ptr<look_at_tasks, DestroyPrograms>;

class TaskIterator : public TaskLooker {
 public:
  TaskIterator(Programs programs, KernelSymbols symbols)
      : programs_(std::move(programs)), symbols_(std::move(symbols)) {}

  bool look(TaskTable& table) override {
    table.clear();
    const UniqueFd pass(::bpf_iter_create(::bpf_link__fd(programs_->links.look_at_task)));
    if (!pass) return false;
    for (;;) {
      const ssize_t bytes = ::read(pass.get(), records_.data(), sizeof records_);
      if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (bytes < 0) table.clear();
      if (bytes <= 0) return bytes == 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / sizeof records_[0]; ++i)
        table.add(records_[i].process, look_of(records_[i], symbols_));
    }
  }

  void want(std::uint32_t process, bool is_wanted) override {
    const int map = ::bpf_map__fd(programs_->maps.wanted);
    const std::uint8_t one = 1;
    if (is_wanted)
      ::bpf_map_update_elem(map, &process, &one, BPF_ANY);
    else
      ::bpf_map_delete_elem(map, &process);
  }

 private:
  Programs programs_;
  KernelSymbols symbols_;
  std::array<dpm_task_record, kRecordsAtOnce> records_;
};

std::string refusal(int error, const LoadMessages& messages) {
  errno = error;
  std::string what = Error::from_errno("the kernel refuses an eBPF task iterator").what;
  if (const std::string said = messages.reason(); !said.empty()) what += " (" + said + ")";
  return error == EPERM || error == EACCES ? what + " (run dpm as root, or with CAP_BPF and CAP_PERFMON)" : what;
}

}  // namespace

Result<std::unique_ptr<TaskLooker>> open_task_iterator() {
  if (has_own_process_ids())
    return Error{
        "an eBPF task iterator has the process ids of the whole machine, and this is a container with its own"};
  ::libbpf_set_print(keep_message);
  const LoadMessages messages;
  Programs programs(look_at_tasks__open_and_load());
  if (!programs) return Error{refusal(errno, messages)};
  if (const int error = look_at_tasks__attach(programs.get()); error != 0) return Error{refusal(-error, messages)};
  KernelSymbols symbols(read_file("/proc/kallsyms"));
  if (!symbols.know_addresses())
    return Error{"/proc/kallsyms hides the addresses of the kernel's functions (sysctl kernel.kptr_restrict)"};
  return std::unique_ptr<TaskLooker>(std::make_unique<TaskIterator>(std::move(programs), std::move(symbols)));
}
#endif

}  // namespace dpm::sampling
