#include "analysis/vector_clocks/event_clocks.hpp"

namespace dpm {

const VectorClock& EventClocks::add(const Event& event) {
  const std::uint32_t process = event.process.value;
  const bool is_message = (event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) == 0;
  const bool receives = event.type == EventType::receive && is_message && !event.peer.is_none();
  if (const auto creation = created_.find(process); creation != created_.end()) {
    clocks_.learn(process, creation->second);
    created_.erase(creation);
  }
  if (receives) {
    if (const auto sent = under_way_.find(message_key(event)); sent != under_way_.end()) {
      clocks_.learn(process, sent->second);
      under_way_.erase(sent);
    }
  }
  if (event.type == EventType::wait && event.code <= static_cast<std::uint32_t>(WaitKind::thread_end) &&
      !event.peer.is_none())
    clocks_.learn(process, clocks_.knowledge_of(event.peer.value));
  const VectorClock& clock = clocks_.perform(process);
  if (event.type == EventType::send && is_message)
    under_way_.insert_or_assign(message_key(event), clocks_.knowledge_of(process));
  if (event.type == EventType::create_process && !event.peer.is_none() && clocks_.count_of(event.peer.value) == 0)
    created_.insert_or_assign(event.peer.value, clocks_.knowledge_of(process));
  return clock;
}

}  // namespace dpm
