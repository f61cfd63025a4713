// What the supervisor keeps of each thread it meets: handles that save opening files while a call waits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/kernel/tracee.hpp"
#include "backends/linux/meter/meter.hpp"
#include "backends/linux/supervisor/hold_table.hpp"
#include "backends/linux/supervisor/receive_decision.hpp"

namespace dpm {

// A receive, accept or transfer that asks for what waits in a socket or pipe.
struct Asking {
  Notification notification;
  DescriptorIdentity identity;
  Call call;
  ReceiveTerms terms;
  std::uint64_t asked = 0;
};

// One that waits with us.
struct Hold : Asking {
  std::size_t slot = 0;
  HoldTable::Ticket ticket;
  std::int64_t deadline_ns = 0;  // 0: none
};

// What is known of a process, of all its threads together: code, as far as program counters have been met.
struct TrackedProcess {
  struct Range {
    std::uint64_t start = 0, end = 0;

    bool holds(std::uint64_t pc) const { return pc >= start && pc < end; }
  };

  std::string program;
  std::vector<Range> known;
  bool several_threads = false;
  // Its program had ended before it could be looked at: what the process is called, and when that program began.
  std::string unseen;
  LocalTime unseen_since;
  std::int64_t search_at_ns = 0;              // when its descriptor table may be read next
  int looks = 0;                              // how often its map was read
  std::int64_t survey_at_ns = 0;              // when to look for ways past the meter next
  std::int64_t survey_pause_ns = 25'000'000;  // and how long after that again: twice as long each time
};

struct TrackedThread {
  Execution* execution = nullptr;
  std::shared_ptr<TrackedProcess> process;
  TrackedProcess::Range last_code;  // that its last program counter lay in
  std::uint64_t no_sockets = 0;     // the descriptors, of the first 64, that were none when last used
  UniqueFd thread_fd;
  ThreadFiles files;
  bool counters_read = false;  // during its present call
  bool asks_again = false;     // its present call was interrupted by a signal before
  int seen_running = 0;        // so many times in a row, when its call was looked at
  std::uint64_t cpu_seen_running_ns = 0;
  std::optional<std::uint64_t> taking;  // the socket or pipe that its last call was let go to take something from
  // Where its last accept lets the kernel write the other end's name, and which name stood there before.
  struct AcceptedName {
    std::uint64_t address = 0;
    std::string before;
  };
  AcceptedName accepted;
  std::optional<Hold> hold;
  std::optional<Hold> interrupted;  // the last one that a signal took away
  LocalTime interrupted_at;         // when that was noticed

  bool was_socket(std::int32_t descriptor) const { return (no_sockets & bit_of(descriptor)) == 0; }
  void note_socket(std::int32_t descriptor, bool is_socket) {
    no_sockets = is_socket ? no_sockets & ~bit_of(descriptor) : no_sockets | bit_of(descriptor);
  }

 private:
  static std::uint64_t bit_of(std::int32_t descriptor) {
    return descriptor >= 0 && descriptor < 64 ? std::uint64_t{1} << descriptor : 0;
  }
};

}  // namespace dpm
