// The meter connections that processes were given while they run (metering report 4.1, setmeter): their events leave as meter messages
// (trace/meter_stream.hpp), and do not come into the meter's own trace.
//
//   source ──► MeterConnections ──┬──► the trace
//                                 ├──► a stream socket ──► any filter      of process 17 and those that it has started since
//                                 └──► nowhere                             of a process with the connection `none`
//
// A connection closes when none of its processes is left. Its first message names everything that the trace has named so far: later
// names go to the trace and to every connection.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "model/event_source.hpp"
#include "model/trace_growth.hpp"
#include "os/unique_fd.hpp"
#include "trace/meter_stream.hpp"

namespace dpm::cli {

class MeterConnections : public EventSink, public GrowthSink {
 public:
  // `names`: everything that was passed on to `growth` so far.
  MeterConnections(EventSink& events, GrowthSink& growth, std::function<Result<TraceInfo>()> names);
  ~MeterConnections() override;

  // From any thread. An empty descriptor: its events go nowhere.
  Result<void> connect(std::uint32_t pid, UniqueFd to);
  // Its events come into the trace again.
  void disconnect(std::uint32_t pid);

  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

 private:
  class Connection;

  using Connections = std::map<std::uint32_t, std::shared_ptr<Connection>>;

  void learn(ProcessId process, std::uint32_t pid);
  void forget(ProcessId process);
  void remove(Connections::iterator connection);
  bool divert(const Event& event);
  std::set<Connection*> open() const;

  EventSink& events_;
  GrowthSink& growth_;
  std::function<Result<TraceInfo>()> names_;
  std::mutex mutex_;                                        // of all that follows
  std::unordered_map<ProcessId, std::uint32_t> pids_;       // of all threads that live
  std::unordered_map<std::uint32_t, std::size_t> threads_;  // how many each process has
  std::vector<ProcessId> ended_;                            // of which events may come in the batch that follows
  TableSizes sizes_;
  Connections connections_;     // by process; as a rule none. Null: nowhere
  std::vector<Event> rest_;     // of a batch: what goes to the trace
  std::uint64_t diverted_ = 0;  // events that went elsewhere
  std::vector<Loss> lost_;
};

}  // namespace dpm::cli
