// A call that took several messages: the process would have made one call for each if they had come one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "model/event.hpp"

namespace dpm {

// Appends the RECEIVECALL for the next message of the call, on these channels; nothing where any channel would do.
inline void wait_again(const Event& receive, std::uint32_t set, std::vector<Event>& out) {
  if (set == kAnyChannel.value) return;
  Event call = receive;
  call.type = EventType::receive_call;
  call.channel = call.passed_channel = {};
  call.peer = {};
  call.sequence = 0;
  call.length_bytes = 0;
  call.code = set;
  out.push_back(call);
}

}  // namespace dpm
