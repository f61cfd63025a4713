// The union of several traces, each of which may still grow, as one TraceInfo, and their events in its ids.
//
//     red's trace    machine 0, processes 0..3, channels 0..9    ─┐
//     blue's trace   machine 0, processes 0..1, channels 0..5    ─┼─►  machines 0..1, processes 0..5, channels 0..12
//                                                                 ┘    (a channel whose two ends they saw is one)
//
//   machines    of one name are one; addresses add up
//   processes   are apart, unless machine, process and thread number and beginning are the same: then it is one process
//               that two meters saw, one after the other. A name that is taken gets its machine's: "server@blue"
//   channels    are joined by what both ends know (channel_joiner.hpp), and nothing is guessed
//   filters     are apart, and named for their trace: "blue/filter"
//
// Ids that were given out stay. Events of one process keep their order as long as its traces are remapped one after the
// other in the order in which their meters saw it. Local times are passed on as they are: no clock is trusted.
#pragma once

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "merge/channel_joiner.hpp"
#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

class TraceUnion {
 public:
  TraceUnion();
  TraceUnion(const TraceUnion&) = delete;

  // `info` is what it is for an EventSink: it grows, and outlives the union. `label` names it to people. Returns the
  // number of the input.
  std::size_t add(const TraceInfo& info, std::string label);

  // Appends the batch to `out`, in the union's ids; takes in what the input's tables have grown by. Events with ids
  // that no table has are left out and counted.
  void remap(std::size_t input, std::span<const Event> batch, std::vector<Event>& out);

  // Takes in what was learnt late about entries that were there before: owners, ends of channels, renamed processes.
  // Looks at everything: to be called from time to time, and before warnings().
  void refresh();

  const TraceInfo& info() const { return info_; }
  // By the input's own number of a filter: which of info().filters it is.
  std::span<const std::uint16_t> filters_of(std::size_t input) const { return inputs_.at(input).filters; }
  std::uint64_t refused_events() const { return refused_events_; }

  // What could not be joined, and what looks wrong.
  std::vector<std::string> warnings() const;

 private:
  struct Input {
    const TraceInfo* info = nullptr;
    std::string label;
    bool knows_beginning = true;  // no process of it was acquired
    std::vector<MachineId> machines;
    std::vector<ProcessId> processes;
    std::vector<std::string> process_names;  // as last seen
    std::vector<ChannelId> channels;
    std::vector<std::uint32_t> channel_sets;
    std::vector<std::uint16_t> filters;
    std::size_t modules = 0;
  };
  using ProcessProof = std::tuple<MachineId, std::uint32_t, std::uint32_t, std::uint64_t>;

  void take_in(Input& input);
  void take_in_run(const TraceInfo& run);
  MachineId machine_of(const MachineInfo& machine, const std::string& label);
  ProcessId process_of(const Input& input, const ProcessInfo& process);
  std::string free_name(const ProcessInfo& process);
  ChannelInfo described(const Input& input, const ChannelInfo& channel) const;
  bool remap(const Input& input, Event& event) const;

  TraceInfo info_;
  ChannelJoiner joiner_;
  std::vector<Input> inputs_;
  std::map<std::string, MachineId> machines_;
  std::map<ProcessProof, ProcessId> proven_;
  std::unordered_set<std::string> names_;
  std::vector<std::string> same_name_;  // machines of one name that may be two
  bool delays_differ_ = false;
  std::uint64_t refused_events_ = 0;
};

}  // namespace dpm
