// How much each place in the programs sends and receives: messages and bytes for each process and program counter.
//
// Memory grows with processes and places that communicate, never with events.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/event_source.hpp"

namespace dpm {

struct CallSite {
  ProcessId process;
  std::uint64_t pc = 0;
  std::uint64_t sent = 0, sent_bytes = 0;
  std::uint64_t received = 0, received_bytes = 0;
};

class CallSiteAnalysis : public EventSink {
 public:
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport&) override {}

  std::vector<CallSite> result() const;  // by process, then by pc

 private:
  using Key = std::pair<ProcessId, std::uint64_t>;
  std::map<Key, CallSite> sites_;
  CallSite* last_ = nullptr;  // programs mostly repeat the same call
};

}  // namespace dpm
