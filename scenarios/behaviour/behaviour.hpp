// A program written in a scenario file, as data: what to do at the start, and what to do on a message of a kind.
//
//   start: steps done once                          on: [kind, from] -> steps done for each message that matches
//
// A step (steps/) computes, sends, calls, replies, forwards, waits, stops, or holds other steps. Names of processes are
// resolved already: the reader (program_reader.hpp) has put the members of a group in place of its name, and has
// checked that every link exists.
#pragma once

#include <map>

#include "model/program.hpp"
#include "scenarios/behaviour/step.hpp"

namespace dpm {

struct Handler {
  KindNames kinds;
  Whom from;
  std::optional<Value> priority;  // of the messages for it; 0 unless given
  Steps steps;

  void fields(StepFields& fields);
};

// What is done when no message has come for the handlers for some time.
struct Idle {
  Quantity after;  // seconds
  Steps steps;
};

// Handlers take at most `at_most` messages from some processes before one of them has been answered; the others wait in
// the queue.
struct Admission {
  ProcessNames from;  // null: no limit
  std::uint64_t at_most = 0;
};

// How many messages wait for the handlers while the process is busy.
struct QueueLimit {
  Value at_most = 1;
  bool drops_oldest = false;  // otherwise the one that came last
  Steps steps;                // for each message that has no room
};

struct Behaviour {
  std::shared_ptr<const std::map<std::uint32_t, std::string>> kinds;  // the names of all kinds, by code
  Steps start;
  std::vector<Handler> handlers;  // the first that matches is used
  std::vector<double> variables;  // their first values
  std::vector<double> request_variables;
  std::vector<RunTimeName> later;  // the names in expressions, by their numbers
  std::size_t subscriptions = 0;   // lists of processes
  std::size_t slots = 1;           // of what a process remembers; the first is for quantities that need none
  Admission admission;
  std::optional<Idle> idle;
  std::optional<QueueLimit> queue;  // none: without limit
  bool follows_requests = false;    // a step picks the requester
  bool counts_outstanding = false;  // a step picks the one with the least outstanding
  bool gives_up = false;            // a step has a timeout, or waits for a request's messages only
  bool has_priorities = false;      // of messages for handlers
  bool per_request = false;         // draws depend on the message and the process, not on what it did before
};

// The program with this behaviour. `senders`: the processes that hold a link to this one.
Program make_program(std::shared_ptr<const Behaviour> behaviour, ProcessNames senders);

}  // namespace dpm
