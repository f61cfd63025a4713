// The union of several traces, each of which may still grow, as one TraceInfo, and their events in its ids.
//
//     red's trace    machine 0, processes 0..3, channels 0..9    ─┐
//     blue's trace   machine 0, processes 0..1, channels 0..5    ─┼─►  machines 0..1, processes 0..5, channels 0..12
//                                                                 ┘    (a channel whose two ends they saw is one)
//
//   machines    of one name are one; addresses add up
//   processes   are apart, unless machine, process and thread number and beginning are the same: then two meters saw one
//               process, one after the other. A name that is taken gets its machine's: "server@blue"
//   channels    are joined by what both ends know (channel_joiner.hpp), and nothing is guessed
//   filters     are apart, and named after their trace: "blue/filter"
//
// Assigned ids never change. Events of one process keep their order as long as its traces are remapped one after the
// other in the order in which their meters saw it. Local times are passed on unchanged: no clock is trusted.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/event.hpp"
#include "model/trace_growth.hpp"
#include "trace/merge/channel_joiner.hpp"
#include "trace/merge/taken_names.hpp"

namespace dpm {

class TraceUnion {
 public:
  // `passed_on`: the receiver of the growth keeps the tables; this object keeps only what may still be joined.
  enum class Tables { kept, passed_on };
  explicit TraceUnion(Tables tables = Tables::kept);
  TraceUnion(const TraceUnion&) = delete;

  // `label` names the input for users. Returns its number.
  std::size_t add(std::string label);
  // The same for a complete trace.
  std::size_t add(const TraceInfo& info, std::string label);
  // Adds what the input's tables have grown by; call it before events that use the additions.
  void grow(std::size_t input, const TraceGrowth& growth);
  // The input has ended.
  void finish(std::size_t input);

  // What the union has grown by since the last call.
  TraceGrowth take_growth();

  // Appends the batch to `out`, in the union's ids. Events with ids that no table has are left out and counted.
  void remap(std::size_t input, std::span<const Event> batch, std::vector<Event>& out);

  // All tables; if additions are passed on, only the machines and the description of the run.
  const TraceInfo& info() const { return info_; }
  // The index in info().filters of a filter, by the input's own number.
  std::span<const std::uint16_t> filters_of(std::size_t input) const { return inputs_.at(input).filters; }
  std::uint64_t refused_events() const { return refused_events_; }
  // Processes and channels that are remembered.
  std::size_t remembered() const { return living_.size() + joiner_.remembered(); }

  // What could not be joined, and what looks wrong.
  std::vector<std::string> warnings() const;

 private:
  struct Input {
    std::string label;
    bool knows_beginning = true;  // no process of it was acquired
    std::vector<MachineId> machines;
    std::vector<ProcessId> processes;
    std::vector<ChannelId> channels;
    std::vector<bool> is_closed;  // by channel
    std::vector<std::uint32_t> channel_sets = {0};
    std::vector<std::uint32_t> primitive_events;
    std::vector<std::uint16_t> filters = {};
  };
  using ProcessProof = std::tuple<MachineId, std::uint32_t, std::uint32_t, std::uint64_t>;
  static constexpr std::size_t kLivingMax = 1 << 16;

  void agree_on_run(const TraceInfo& run);
  bool join_properties(const SourceProperties& theirs);  // true if that changed ours
  void take_rows(std::size_t number, Input& input, const TraceGrowth& growth);
  void take_news(Input& input, const TraceGrowth& growth);
  MachineId machine_of(const MachineInfo& machine, const std::string& label);
  ProcessId process_of(const Input& input, const ProcessInfo& process);
  void remember(ProcessId process, const ProcessInfo& described);
  void forget(ProcessId process);
  void rename(ProcessId process, const std::string& name, const std::string& program);
  void belongs_to(ProcessId process, ProcessId group);
  void changed(ProcessId process, const ProcessInfo& now);
  std::string free_name(const ProcessInfo& process);
  ChannelInfo described(const Input& input, const ChannelInfo& channel) const;
  ChannelEnd described(const Input& input, ChannelEnd end) const;
  std::uint32_t add_set(const Input& input, const std::vector<ChannelId>& theirs);
  void pass_on();
  bool remap(const Input& input, Event& event) const;

  Tables tables_;
  TraceInfo info_;
  TraceGrowth growth_;
  TableSizes sizes_;  // of the tables, growth_ included
  std::map<PrimitiveEvent, std::uint32_t> primitive_events_;
  ChannelJoiner joiner_;
  std::map<std::size_t, Input> inputs_;
  std::size_t inputs_added_ = 0;
  bool has_properties_ = false;
  std::map<std::string, MachineId> machines_;
  std::map<ProcessProof, ProcessId> proven_;
  std::unordered_map<std::uint32_t, ProcessInfo> living_;  // processes that have not ended
  std::deque<ProcessId> oldest_living_;
  TakenNames names_;
  std::vector<std::string> same_name_;  // machines with the same name that may be two
  bool delays_differ_ = false;
  std::uint64_t refused_events_ = 0;
};

}  // namespace dpm
