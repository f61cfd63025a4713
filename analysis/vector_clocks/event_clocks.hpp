// The vector clock of each event of a trace that is gone through in an order in which causes come first (analysis/clocks has
// one). Only matched messages count, and what the kernel orders: a process begins after its creation, and a wait for its end
// goes on after its last event. Times are never compared.
#pragma once

#include <unordered_map>

#include "analysis/vector_clocks/running_clocks.hpp"
#include "model/event.hpp"
#include "model/message_key.hpp"

namespace dpm {

class EventClocks {
 public:
  // The clock is valid until the next call.
  const VectorClock& add(const Event& event);
  std::uint32_t count_of(ProcessId process) const { return clocks_.count_of(process.value); }
  Knowledge knowledge_of(ProcessId process) { return clocks_.knowledge_of(process.value); }

 private:
  RunningClocks clocks_;
  std::unordered_map<MessageKey, Knowledge, MessageKeyHash> under_way_;
  std::unordered_map<std::uint32_t, Knowledge> created_;  // by process that has done nothing yet
};

}  // namespace dpm
