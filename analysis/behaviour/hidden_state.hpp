// Processes whose behaviour depends on what messages do not show. A replay repeats what they did in the trace, and is off by
// more than the order of messages explains:
//
//   memory    it does not always react alike to requests of one size from one program: a cache, or a random draw
//   phases    the same, and equal reactions follow each other more often than by chance: a state lasts, and decides how many there are
//   batches   it answers several requests at once, not always as many: how many were there depends on times
//   full      it answers several requests at once, always as many: what it does when the last one is long in coming, the trace
//   batches   does not show. A timer, if it has one, is longer than any wait in the trace (batch_waits.hpp)
//   lists     it sends to several that once wrote to it, not always as many: to which depends on who is on a list then. The same error
//             is added as for batches, which was fitted on those
//   refusals  it answers requests with work, and others at once without: how many wait decides
//   drops     it works for some messages of a kind, and not for others: how many come while it is busy decides
//   gives up  it stops waiting for messages after a limit for several messages (analysis/history/timers.hpp)
//   polls     it asks again after a sleep, until it hears what it waits for
//   looks     it works on when no message is there, and looks again later
//   idle      it goes on when nothing has come for a time (analysis/history/timers.hpp)
//
// Of a process that chooses among the requests that have come (request_queue_finder.hpp) only the memory is looked for.
//
// The interval covers them: other requests meet the same reactions (alternatives.hpp), and for batches, refusals and idle
// timers errors as on systems that were simulated are added (kBatchError etc. in the source file). Such a fixed part is as wide
// where the replay happens to be exact. So each of the three needs a proof in the trace: a server that answers one client and
// asks a disk between two messages is not a batch, though it writes to two processes that wrote to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/timers.hpp"

namespace dpm {

struct HiddenState {
  enum class Kind : std::uint8_t {
    memory,
    phases,
    batches,
    full_batches,
    lists,
    refusals,
    drops,
    gives_up,
    polls,
    looks
  };
  // Relative, of P.
  struct Error {
    double below = 0, above = 0;  // the truth may be as far from the prediction
  };
  struct Entry {
    Kind kind = Kind::memory;
    std::uint32_t process = 0;
    std::size_t times = 0;
  };
  std::vector<Entry> entries;
  bool idle_timers = false;

  bool has(Kind kind) const;
  // What is expected on top of what alternatives show, where messages come in another order.
  Error expected_error() const;
};

// Whether the trace does not determine what such a process does on another placement; otherwise it is only less certain.
bool is_unknown(HiddenState::Kind kind);

// `roles`: what is predicted by a rule is not hidden. `idle`: of processes that go on when nothing has come.
HiddenState find_hidden_state(const History& history, const Roles& roles, const std::vector<TimersOfProgram>& idle);

std::string_view name_of(HiddenState::Kind kind);
std::string reason_of(const HiddenState::Entry& entry);

}  // namespace dpm
