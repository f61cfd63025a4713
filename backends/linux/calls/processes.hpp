// The threads and processes of a metered program: their ids and names, and the events of their creation, of exec, of
// waits for a child, and of their end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/calls/event_recorder.hpp"

namespace dpm {

class Processes {
 public:
  static constexpr std::size_t kEndedKept = 1000;

  explicit Processes(EventRecorder& recorder) : recorder_(recorder) {}
  Processes(const Processes&) = delete;

  struct Birth {
    std::uint32_t pid = 0, tid = 0;
    std::string name, program;
    std::uint64_t began_ns = 0;  // as in ProcessInfo
    bool acquired = false;
    std::string cgroup;               // as in ProcessInfo
    std::uint64_t cpu_before_ns = 0;  // that the process used before it became the program
    std::uint64_t cpu_so_far_ns = 0;  // that an acquired thread has used, without `cpu_before_ns`
    // The creator performed the fork itself; otherwise it is known only that some thread of its process did.
    bool by_creator_itself = false;
    bool waits_are_measured = false;  // the source tells what the thread waits, from now on
    MeterFlags flags;                 // of a process without a metered creator; others inherit
  };
  // `creator` gets the CREATEPROCESS; nullptr for a program's first process, or when the fork was not seen.
  MeteredThread& begin(const Birth& birth, MeteredThread* creator, LocalTime time, std::int64_t now_ns);
  // The thread's process runs another program from now on.
  void executed(const Call& call, const std::string& name, const std::string& program);
  // The thread goes on because `peer` has ended, at the latest at call.time, after it waited for `waited_ns`.
  void waited(const Call& call, ProcessId peer, WaitKind kind, std::int64_t waited_ns, Evidence evidence);
  // True if the thread was the last one of its process, which is then forgotten.
  bool leave_process(const MeteredThread& thread);
  // The thread stays in memory until its events have all been taken (forget_ended()), and the latest kEndedKept longer: what the
  // kernel counts of their sockets may come after their end.
  void ended(const Call& call, std::uint32_t exit_code);
  void forget_ended();

  // The meter itself, whose events say something of the whole machine: it is outside the computation, and is not counted.
  struct Own {
    std::uint32_t pid = 0;
    std::uint64_t began_ns = 0;
  };
  ProcessId meter(const Own& process);

  MeteredThread* find(std::uint32_t tid);
  // nullptr if the thread `tid` is another one by now.
  MeteredThread* find(std::uint32_t tid, ProcessId id);
  // nullptr if it has not ended, or is forgotten.
  MeteredThread* find_ended(ProcessId id);
  template <typename Handle>
  void for_each(Handle&& handle) const {
    for (const auto& [tid, thread] : threads_) handle(*thread);
  }
  bool has_unfinished() const;  // events, of whatever age

  void set_flags(std::uint32_t pid, MeterFlags flags);  // 0: every process, now and later
  // Of events that belong to no process of the program: `before`, until flags are set for all.
  MeterFlags flags_for_all(MeterFlags before) const { return flags_for_all_.value_or(before); }
  // A process of the program was acquired: its sockets may be older than the metering.
  bool was_acquired() const { return was_acquired_; }
  std::size_t process_count() const { return processes_seen_; }
  std::size_t thread_count() const { return threads_seen_; }

 private:
  struct Process {
    std::uint32_t threads = 0;
    std::uint32_t threads_named = 0;
    ProcessId first;
    std::string name, command_name;
  };
  std::string distinct_name(const std::string& wanted);
  std::string name_for(const Birth& birth, Process& process);
  void describe(const Birth& birth, ProcessId id);
  void record_creation(const Birth& birth, MeteredThread* creator, MeteredThread& created, LocalTime time,
                       std::int64_t now_ns);

  EventRecorder& recorder_;
  std::unordered_map<std::uint32_t, std::unique_ptr<MeteredThread>> threads_;  // by thread
  std::vector<std::unique_ptr<MeteredThread>> ended_;
  std::unordered_map<std::uint32_t, Process> processes_;  // by process
  std::unordered_map<std::string, std::uint32_t> names_;
  std::optional<MeterFlags> flags_for_all_;
  bool was_acquired_ = false;
  std::size_t processes_seen_ = 0, threads_seen_ = 0;
  std::uint32_t ids_given_ = 0;
  ProcessId meter_;
};

}  // namespace dpm
