// Recognises processes that ask several others at once and go on after a number of answers: all of them, or the first k.
//
// A gathering is the answers to messages that a process sent to several others without receiving anything in between; the k-th
// message of a process answers the k-th to it, and comes after it. Of all gatherings alike (as many asked, of the same programs) the trace
// shows after which answers the process sends something:
//
//   by number   after the same ones, counted as they come, each time: the second of three
//   by sender   after those of the same senders each time: it waits for one of them, and only notes the others
//
// What both explain is by number, and the interval of a prediction has the other, too. What neither explains is open.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/gathers.hpp"
#include "analysis/history/history.hpp"

namespace dpm {

struct GatherRule {
  std::uint32_t process = 0;
  std::size_t asked = 0;      // how many
  std::size_t needed = 0;     // after how many answers it goes on
  std::size_t times = 0;      // gatherings
  bool or_by_sender = false;  // the senders explain it, too
};

// Gatherings that neither rule explains.
struct OpenGather {
  std::uint32_t process = 0;
  std::size_t times = 0, contradictions = 0;
};

struct FoundGathers {
  Gathers gathers;
  std::vector<GatherRule> rules;
  std::vector<OpenGather> open;
};

// Of processes that are `settled`, another rule says when they go on.
FoundGathers find_gathers(const History& history, const std::vector<bool>& settled);

}  // namespace dpm
