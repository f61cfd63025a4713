// Which copy of a server gets a message in a replay: each client's requests go to the server and its copies in turn,
// the first to the server; messages of a piece of work go to the copy that has it (server_work.hpp). The copy is chosen
// when the message is sent, as by a client that knows all copies, or a scenario's `"pick": "in_turn"`.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/target.hpp"

namespace dpm {

class ReplicaChoice {
 public:
  ReplicaChoice(const History& history, const std::vector<Replicas>& replicas);

  bool empty() const { return groups_.empty(); }
  void begin();

  // The server of a copy, or the process itself.
  std::uint32_t server_of(std::uint32_t process) const { return server_of_[process]; }
  bool is_copy(std::uint32_t process) const { return !empty() && server_of_[process] != process; }
  std::uint32_t first_request_of(std::uint32_t copy) const;

  // The receiver of what `sender` sends now with this SEND, which must have a RECEIVE.
  std::uint32_t receiver_of(std::uint32_t sender, const HistoryEvent& send) const;
  // Notes that it was sent: the next request of `sender` goes to the next copy.
  void sent(std::uint32_t sender, const HistoryEvent& send);

 private:
  struct Group {
    std::vector<std::uint32_t> members;  // the server first
    std::uint32_t first_event = 0;       // of the server
    std::uint32_t first_request = 0;
    std::vector<std::uint32_t> piece_of;
    std::vector<std::uint32_t> holder_of;  // by first event of a piece: the copy that has it, in this run
    std::vector<std::uint32_t> turn_of;    // by sender
  };

  std::vector<std::uint32_t> server_of_;  // by process
  std::vector<std::uint32_t> group_of_;   // by server; kNone for others
  std::vector<Group> groups_;

  static constexpr std::uint32_t kNone = 0xffffffffu;
};

}  // namespace dpm
