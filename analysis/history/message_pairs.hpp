// Joins the two ends of every message where the graph itself is not needed: by (sender, channel, sequence), in any
// order, with memory only for the messages with one end seen.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/history/message_matcher.hpp"
#include "model/event.hpp"

namespace dpm {

struct SeenEnd {
  LocalTime time;
  std::uint64_t sequence = 0;
  ProcessId process, peer;
  ChannelId channel;
  std::uint32_t length_bytes = 0;
  MachineId machine;
  EventType type = EventType::send;  // or receive
  Evidence evidence = Evidence::observed;
};
static_assert(sizeof(SeenEnd) == 40, "one for each message whose other end has not been seen");

struct MessagePair {
  SeenEnd sent, received;
};

class MessagePairs {
 public:
  // A SEND or RECEIVE that is a message: returns the pair if its other end was seen before. Second copies of an end are
  // ignored.
  std::optional<MessagePair> add(const Event& event) {
    const bool sends = event.type == EventType::send;
    if (!sends && event.type != EventType::receive) return std::nullopt;
    if ((event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) != 0) return std::nullopt;
    const SeenEnd now = seen(event);
    const ProcessId sender = sends ? event.process : event.peer;
    if (sender.is_none() || event.channel.is_none()) {
      nameless_.push_back(now);
      return std::nullopt;
    }
    const MessageKey key = message_key(event);
    const MessageEnd end = sends ? MessageEnd::send : MessageEnd::receive;
    auto* waiting = matcher_.find(key);
    if (waiting == nullptr) {
      matcher_.insert(key, end, 0, keep(now));
      return std::nullopt;
    }
    if ((waiting->end != 0) == (end == MessageEnd::receive)) return std::nullopt;
    const SeenEnd other = kept_[waiting->index];
    free_.push_back(waiting->index);
    matcher_.erase(waiting);
    return sends ? MessagePair{now, other} : MessagePair{other, now};
  }

  // Ends whose other end has not been seen. Call once, last.
  std::vector<SeenEnd> take_unmatched() {
    std::vector<bool> is_free(kept_.size());
    for (const std::uint32_t index : free_) is_free[index] = true;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (!is_free[i]) nameless_.push_back(kept_[i]);
    return std::move(nameless_);
  }

 private:
  static SeenEnd seen(const Event& event) {
    return {event.local_time,   event.sequence, event.process, event.peer,    event.channel,
            event.length_bytes, event.machine,  event.type,    event.evidence};
  }

  std::uint32_t keep(const SeenEnd& end) {
    if (free_.empty()) {
      kept_.push_back(end);
      return static_cast<std::uint32_t>(kept_.size() - 1);
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    kept_[index] = end;
    return index;
  }

  MessageMatcher matcher_;
  std::vector<SeenEnd> kept_;
  std::vector<std::uint32_t> free_;  // indices into `kept_`
  std::vector<SeenEnd> nameless_;    // sender or channel is not known
};

}  // namespace dpm
