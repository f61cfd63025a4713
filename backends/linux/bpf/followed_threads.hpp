// The threads and processes that the kernel's programs follow: their births, programs and ends, as records tell them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/linux/bpf/kernel_account.hpp"
#include "backends/linux/bpf/kernel_record.h"
#include "backends/linux/calls/meter.hpp"

namespace dpm {

struct FollowedProcess {
  std::uint32_t pid = 0, parent_pid = 0;
  std::uint32_t seen_as = 0;  // by its parent, in whose namespace it may have another number
  ProcessId first;
  std::string program, cgroup;
  std::uint32_t threads = 0;  // that have not ended
};

struct FollowedThread {
  MeteredThread* metered = nullptr;
  std::shared_ptr<FollowedProcess> process;
  std::array<std::uint64_t, 8> sites = {};  // where its calls are made
  std::int64_t known_since_ns = 0;
  std::uint64_t cpu_ns = 0;         // the last reading
  // Of a thread that goes on under another number: by how much that number's CPU time exceeds its own; modulo 2^64.
  std::uint64_t cpu_before_ns = 0;
  // It has ended, and may still run for a moment in the kernel.
  struct End {
    LocalTime time;
    std::int64_t now_ns = 0;
    std::uint32_t code = 0;
  };
  std::optional<End> end;

  // Records have the low 48 bits.
  void read_cpu_time(std::uint64_t low_bits);
};

class FollowedThreads {
 public:
  struct Program {
    std::uint32_t pid = 0;
    std::string command;
    MeterFlags flags;
    bool from_start = true;  // it waits before its first instruction, and is still dpm; otherwise it was running
    bool is_scope = false;   // not one process: those of add_running(), and those that enter
  };
  FollowedThreads(Meter& meter, const Program& program, std::int64_t clock_offset_ns)
      : meter_(meter), program_(program), clock_offset_ns_(clock_offset_ns) {}

  // The program's first process, with its threads. Of a scope: nothing.
  void begin_program(std::int64_t now_ns);
  // Those threads of a running process that are not known yet. Nothing if it has ended.
  void add_running(std::uint32_t pid, std::int64_t now_ns);
  // Processes of which a thread has entered since the last call.
  std::vector<std::uint32_t> take_entered() { return std::exchange(entered_, {}); }
  void take(const dpm_task_record& record);
  // A wait of this thread has returned because of the child `seen_as`.
  void waited(const Call& call, std::uint32_t seen_as, std::int64_t waited_ns);

  // nullptr if the thread is not known, because the record of its birth was lost.
  FollowedThread* find(std::uint32_t tid);
  bool none_left() const { return threads_.empty(); }
  std::vector<std::uint32_t> processes() const;
  // What threads waited for, ended ones too: the last news. Returns how long those waited that are not known any more.
  std::uint64_t tell_waits(std::span<const KernelAccount> accounts);
  LocalTime local(std::int64_t now_ns) const { return {now_ns + clock_offset_ns_}; }
  // Nothing more will be told.
  void finish();

 private:
  struct Child {
    std::uint32_t pid = 0, parent_pid = 0;
    ProcessId process;
    bool has_ended = false;
  };
  void forked(const dpm_task_record& record, std::int64_t now_ns);
  void executed(const dpm_task_record& record, std::int64_t now_ns);
  void exited(const dpm_task_record& record, std::int64_t now_ns);
  void entered(const dpm_task_record& record, std::int64_t now_ns);
  void gone(std::uint32_t tid, std::uint64_t cpu_ns);
  void take_over(std::uint32_t tid, std::uint32_t pid, std::uint64_t cpu_ns, std::int64_t now_ns);
  Processes::Birth birth_of_first(std::uint32_t tid) const;
  Processes::Birth birth_of_running(std::uint32_t pid, std::uint32_t tid) const;
  std::shared_ptr<FollowedProcess> process_at(std::uint32_t pid) const;
  FollowedThread& add(const Processes::Birth& birth, FollowedThread* creator, std::shared_ptr<FollowedProcess> process,
                      std::int64_t now_ns);
  ProcessId known_as(std::uint32_t tid, std::uint64_t began_ns) const;
  Child* child_of(std::uint32_t parent_pid, std::uint32_t seen_as);

  Meter& meter_;
  const Program program_;
  const std::int64_t clock_offset_ns_;
  std::unordered_map<std::uint32_t, std::unique_ptr<FollowedThread>> threads_;  // by number
  std::unordered_map<std::uint32_t, std::vector<Child>> children_;              // by what their parent calls them
  std::vector<std::uint32_t> entered_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, ProcessId> known_;  // ever, by number and beginning
};

}  // namespace dpm
