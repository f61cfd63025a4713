// How a process chose the receivers of some of its SENDs, as far as the trace shows it (analysis/history/destinations.hpp).
//
//   in turn             the first n go to n processes, and each later one goes where the n-th before it went
//   least outstanding   each goes to a process that owes the sender no more answers than the others, and most are answered
//   by the message      the receiver is always the same where the sender, or the size, of the message handled is
//
// All without exception, and often enough that it is not by chance.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/history/destinations.hpp"

namespace dpm {

// A SEND, and what it has in common with others of one choice.
struct ChosenSend {
  std::uint32_t send = 0;
  std::uint32_t after = kNoPeer;  // the sender of the message that was handled
  std::uint32_t after_bytes = 0;  // its size
  std::uint32_t bytes = 0;
};

// `sends` are some of one process, in order. The choices have neither process nor number yet.
std::optional<DestinationChoice> in_turn(const History& history, const std::vector<std::uint32_t>& sends);
std::optional<DestinationChoice> least_outstanding(const History& history, std::uint32_t process,
                                                   const std::vector<std::uint32_t>& sends);
// Whether each goes to the next of a cycle that another process shows, beginning anywhere.
bool follows_cycle(const History& history, const std::vector<std::uint32_t>& sends,
                   const std::vector<std::uint32_t>& cycle);
bool follows_message(const History& history, const std::vector<ChosenSend>& sends);

}  // namespace dpm
