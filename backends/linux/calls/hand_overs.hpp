// What threads that share memory hand over to each other: a lock, a unit of a semaphore, the news that a condition holds. As messages
// without bytes (thesis 6.3.1), which only a source that sees who wakes whom can tell.
//
//   A  ──compute──┬ gives: SEND                       a thread's messages of this kind travel on a channel of its own, numbered by the
//                  \                                   source
//   B  ─ sleeps ────┴ takes: RECEIVE ──compute──      its RECEIVECALL is recorded then too, with the time at which it went to sleep:
//                                                      a sleep that ends otherwise asked for no message
//
// The end of a thread for which another one waits is not a message, but a WAIT.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "backends/linux/calls/conversation.hpp"
#include "backends/linux/calls/event_recorder.hpp"
#include "backends/linux/calls/processes.hpp"

namespace dpm {

class HandOvers {
 public:
  HandOvers(EventRecorder& recorder, Conversations& conversations, Processes& processes)
      : recorder_(recorder), conversations_(conversations), processes_(processes) {}

  struct HandOver {
    std::uint64_t number = 0;  // among those to its receiver
    bool by_end = false;       // the giver has ended
  };
  // The call begins to wait.
  void sleeps(const Call& call);
  void gives(const Call& call, const HandOver& what, const MeteredThread& to);
  // The call's wait is over because of this. `from`: if its gives() is not known; null: nor is the thread.
  void takes(const Call& call, const HandOver& what, const MeteredThread* from);
  // It has ended.
  void leave(const MeteredThread& thread);

 private:
  struct Receiver {
    Flow* flow = nullptr;
    std::optional<Event> asked;
    std::uint64_t number = 0;  // of the last one that was given to it,
    ProcessId giver;           // and by whom
  };
  Receiver& receiver(const MeteredThread& thread, LocalTime time);

  EventRecorder& recorder_;
  Conversations& conversations_;
  Processes& processes_;
  std::unordered_map<std::uint32_t, Receiver> receivers_;  // by thread
};

}  // namespace dpm
