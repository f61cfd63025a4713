// Joins the two ends of each message for formats that draw it as one thing: an arrow, a link, a row.
//
// The same messages match as in the analyses: by (sender, channel, sequence), without parts of kernel operations. Memory
// is kept only for messages with one end seen.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/history/message_matcher.hpp"
#include "model/event.hpp"

namespace dpm {

struct MessageEndSeen {
  std::uint32_t event = 0;  // the caller's number of it
  std::uint32_t process = 0;
  std::int64_t time_ns = 0;  // on the caller's axis
};

struct JoinedMessage {
  MessageEndSeen sent, received;
};

class MessageJoin {
 public:
  // The message whose other end was seen before.
  std::optional<JoinedMessage> add(const Event& event, std::uint32_t number, std::int64_t time_ns) {
    const bool sends = event.type == EventType::send;
    if (!sends && event.type != EventType::receive) return std::nullopt;
    if ((event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) != 0) return std::nullopt;
    const ProcessId sender = sends ? event.process : event.peer;
    if (sender.is_none() || event.channel.is_none()) return std::nullopt;
    const MessageKey key = message_key(event);
    auto* waiting = matcher_.find(key);
    if (waiting == nullptr) {
      matcher_.insert(key, sends ? MessageEnd::send : MessageEnd::receive, event.process.value, number, time_ns);
      return std::nullopt;
    }
    if ((waiting->end == 0) == sends) return std::nullopt;  // a second copy of the same end
    const MessageEndSeen now{number, event.process.value, time_ns};
    const MessageEndSeen other{waiting->index, waiting->process, waiting->time_ns};
    matcher_.erase(waiting);
    return sends ? JoinedMessage{now, other} : JoinedMessage{other, now};
  }

 private:
  MessageMatcher matcher_;
};

}  // namespace dpm
