// Rows for the processes of a run without end, in bounded memory.
//
// The first kOwnMost processes and threads have a row each. Further ones share a row with those of their program; what a row
// shows of them adds up, so its CPU time is that of all of them. Ends outside have rows too, one for each address, and one for all
// of a host that has too many (outside_ends.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/messages/outside_ends.hpp"
#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class ProcessSlots {
 public:
  static constexpr std::size_t kOwnMost = 4096;
  static constexpr std::size_t kSharedMost = 256;  // rows of programs; then all further programs share one

  // Rows are processes of `rows`, which has the machines already, and must outlive this.
  explicit ProcessSlots(TraceInfo& rows) : rows_(rows) {}

  // ---- what the source tells
  void add(ProcessId process, const ProcessInfo& described);
  void describe_again(ProcessId process, const ProcessInfo& described);
  void rename(ProcessId process, const std::string& name, const std::string& program);
  // No event of it will come.
  void forget(ProcessId process) { slots_.erase(process.value); }

  // ---- events
  ProcessId slot_of(ProcessId process) const;  // none: it is not known
  // Gives the event the rows of its processes, and CPU times of the row. False: its process is not known.
  bool place(Event& event);
  // The row of an unmetered end of the channel; `metered` is the row of the process at its other end.
  ProcessId outside(ChannelId channel, const std::string& channel_name, ChannelSide side, ProcessId metered);

  // Processes that share rows.
  std::uint64_t shared() const { return shared_; }
  // Rows of ends outside of hosts that turned out to have too many of them, and the rows that all of a host share.
  std::map<ProcessId, ProcessId> joined() const;
  std::vector<std::string> notes() const;

 private:
  struct Slot {
    ProcessId row;
    bool is_shared = false;
    std::uint64_t cpu_ns = 0;  // of a process that shares its row: until its last event
  };
  struct Group {  // of ends outside
    std::map<std::string, ProcessId> rows;
    std::uint64_t names = 0;
    ProcessId all;
  };

  ProcessId new_row(ProcessInfo process);
  ProcessId shared_row(const ProcessInfo& described);

  TraceInfo& rows_;
  std::unordered_map<std::uint32_t, Slot> slots_;
  std::map<std::string, ProcessId> shared_rows_;                    // by program
  std::unordered_map<std::uint32_t, std::uint64_t> shared_cpu_ns_;  // by row
  std::map<std::string, Group> groups_;
  std::size_t own_ = 0;
  std::uint64_t shared_ = 0;
};

}  // namespace dpm
