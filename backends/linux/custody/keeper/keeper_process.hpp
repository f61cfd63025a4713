// The keeper: a process that does nothing as long as the meter lives, and answers the program's calls when it is dead.
//
//            meter lives              meter dead, killed or through
//   stand-by ───────────────────────► answering
//      ▲   waits for nothing but the     │  first lets go what the meter had taken (the slots), then whatever
//      │   ends of meter and program     │  comes: poll, receive, let go
//      └─────────────────────────────────┘
//            another meter takes over
//
// It ends when no process carries the filter any more. It can be asked through its socket (keeper_protocol.hpp) in both
// states. What it does for a call stays as little as it can be: the program pays for it until it ends.
#pragma once

#include <poll.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/capture/program/metered_program.hpp"
#include "backends/linux/custody/keeper/keeper_protocol.hpp"
#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "backends/linux/custody/keeper/stopped_meter.hpp"

namespace dpm {

// Who answers when the keeper begins.
struct KeeperBegins {
  std::uint32_t meter_pid = 0;
  UniqueFd meter;  // its pidfd; empty: nobody meters, the keeper answers
  // Meter and keeper died with calls in their hands, whose ids nobody has. Ids are sequential: those around that of the
  // first call that comes are let go.
  bool calls_were_lost = false;
  std::vector<UniqueFd> outputs;  // of the program, to be read while the keeper answers; non-blocking
};

// Starts a keeper, a process of its own that does not end with us and is not our child. Returns when it is at work.
Result<void> spawn_keeper(const MeteredProgram& program, KeeperBegins begins);

// The start of the names of keepers' sockets; then come the program's process id and the keeper's.
inline constexpr const char* kKeeperSockets = "keeper-";

class KeeperProcess {
 public:
  KeeperProcess(const MeteredProgram& program, KeeperBegins begins, SocketFolder folder);

  int listener_fd() const { return listener_.fd(); }

  // In the process that is to be the keeper:
  Result<void> listen();
  void run();  // until the program has ended

 private:
  void wait();
  void tick(bool on);
  void stand_by(std::uint32_t meter_pid, UniqueFd meter);
  void answer_calls();
  void look_at_meter();
  void stand_in();
  void end_stand_in(std::int64_t now_ns);
  void let_one_go();
  void let_lost_calls_go(std::uint64_t near_id);

  void throw_away_outputs();

  void accept_client();
  void serve_clients();
  void reply(int connection, Packet packet);
  bool hand_over(int connection, std::uint32_t asking_pid, Packet packet);

  SeccompListener listener_;
  const NotificationSlots& slots_;
  KeeperReply description_;
  UniqueFd meter_, meter_state_;
  StoppedMeter stopped_;
  bool stands_in_ = false;  // for a meter that lives, and is stopped
  std::int64_t stopped_since_ns_ = 0;
  std::int64_t look_at_ns_ = 0;
  bool calls_were_lost_;
  std::vector<UniqueFd> outputs_;
  SocketFolder folder_;
  std::string socket_name_;
  UniqueFd socket_;
  std::vector<UniqueFd> clients_;
  std::vector<pollfd> polled_;  // listener, socket, meter, two outputs, then the clients
  bool ticking_ = false;
};

}  // namespace dpm
