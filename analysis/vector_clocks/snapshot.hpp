// The states of all processes at a consistent cut (Chandy and Lamport), made afterwards from the events before it: what each
// process did last, and which messages were under way.
//
// A cut is consistent where no message was received in it that was not sent in it. The events of any beginning of an order in
// which causes come first are one, and so are those that a vector clock counts.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/event.hpp"
#include "model/message_key.hpp"

namespace dpm {

class Snapshot {
 public:
  struct ProcessState {
    std::uint32_t events = 0;  // that it has performed
    std::optional<Event> last;
  };
  // What was sent over a channel and not received yet.
  struct UnderWay {
    ChannelId channel;
    ProcessId sender;
    std::uint64_t messages = 0, bytes = 0;
  };

  // The next event in the cut, in an order in which causes come first.
  void add(const Event& event);

  // By process; those at the end that have done nothing are missing.
  const std::vector<ProcessState>& processes() const { return processes_; }
  std::uint32_t events_of(ProcessId process) const {
    return process.value < processes_.size() ? processes_[process.value].events : 0;
  }
  // By channel and sender.
  std::vector<UnderWay> under_way() const;

 private:
  std::vector<ProcessState> processes_;
  std::unordered_map<MessageKey, std::uint32_t, MessageKeyHash> under_way_;  // bytes
};

}  // namespace dpm
