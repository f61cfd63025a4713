// The keeper: a process that does nothing while the meter lives, and answers the program's calls when the meter is dead.
//
//            meter lives              meter dead: killed or ended
//   stand-by ───────────────────────► answering
//      ▲   waits only for the ends of    │  first lets go the calls that the meter held (the slots), then every
//      │   meter and program             │  other one: poll, receive, let go
//      └─────────────────────────────────┘
//            another meter takes over
//
// It ends when no process carries the filter any more. In both states it answers requests at its socket
// (keeper_protocol.hpp). It does as little as possible for a call, because the program pays for that until it ends.
#pragma once

#include <poll.h>

#include <cstdint>
#include <string>
#include <vector>

#include "backends/linux/custody/keeper/keeper_protocol.hpp"
#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "backends/linux/custody/keeper/stopped_meter.hpp"
#include "backends/linux/program/metered_program.hpp"

namespace dpm {

// The state in which a keeper begins.
struct KeeperBegins {
  std::uint32_t meter_pid = 0;
  UniqueFd meter;  // its pidfd; empty: there is no meter, the keeper answers
  // Meter and keeper died while they held calls, whose ids are unknown. Ids are sequential, so the keeper lets go those
  // around the id of the first call that comes.
  bool calls_were_lost = false;
  std::vector<UniqueFd> outputs;  // of the program; the keeper reads them while it answers; non-blocking
};

// Starts a keeper, which outlives us and is not our child. Returns when it is ready.
Result<void> spawn_keeper(const MeteredProgram& program, KeeperBegins begins);

// Names of keepers' sockets begin with this; the pids of the program and of the keeper follow.
inline constexpr const char* kKeeperSockets = "keeper-";

class KeeperProcess {
 public:
  KeeperProcess(const MeteredProgram& program, KeeperBegins begins, SocketFolder folder);

  int listener_fd() const { return listener_.fd(); }

  // Called in the process that becomes the keeper.
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
  bool stands_in_ = false;  // for a meter that is stopped
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
