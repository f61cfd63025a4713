// A twin: a scenario made from measurements, as data. cli/twin writes it as a scenario file; the words are those of
// docs/scenarios.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/delay_model.hpp"

namespace dpm::twin {

// What was measured, as values that come up so often: all of them where they are few, otherwise as many as keep mean
// and variance.
struct Measured {
  std::vector<double> values;
  std::vector<std::uint64_t> counts;  // as many; empty: each so often:
  std::uint64_t each = 1;

  bool is_constant() const { return values.size() == 1; }
  double mean() const;
};

// `members` processes drew them together: counts are of one.
Measured summarise(std::vector<double> samples, std::size_t members);

enum class Do { compute, send, wait, choose, repeat, dispatch, stop, every, phases, end_after };

struct TwinStep {
  Do what = Do::compute;
  Measured amount;     // compute: seconds on a machine of speed 1; send: bytes
  std::string kind;    // send, wait
  std::string answer;  // dispatch
  std::string group;   // send, wait, dispatch: whom; "sender"
  std::string pick;    // send: "", "all", "in_turn", "requester"
  std::uint64_t times =
      1;  // wait, repeat; dispatch: tasks; end_after: messages handled; every: the steps are done every so many times
  std::string times_parameter;  // repeat: the name of its parameter
  std::string times_group;      // every: one for each member of this group
  std::uint64_t in_flight = 1;
  std::vector<TwinStep> steps;                  // repeat; dispatch: first; every: when it is time
  std::vector<TwinStep> otherwise;              // dispatch: next; every: the other times
  std::vector<TwinStep> rest;                   // dispatch
  std::vector<TwinStep> tasks;                  // dispatch: the kinds of tasks, as sends; as many weights
  std::vector<std::uint64_t> weights;           // choose, dispatch; phases: how many times each, the last for ever
  std::vector<std::vector<TwinStep>> branches;  // choose, phases
  std::vector<std::size_t> order;               // choose: which branch comes when; empty: dealt by weight
};

// A message that the process is sent and never takes: it stays in its queue, as it did.
struct UnreadMessage {
  std::string kind;
  std::string from;  // group
};

struct TwinHandler {
  std::string kind;
  std::string from;  // group
  std::vector<TwinStep> steps;
};

struct TwinProgram {
  std::vector<TwinStep> start;
  std::vector<TwinHandler> handlers;
  std::vector<UnreadMessage> unread;
  std::string admits_from;  // empty: no limit
  std::uint64_t admits_at_most = 0;
};

struct TwinMachine {
  std::string name;
  double speed = 1;
  std::uint16_t cores = 1;
};

struct TwinGroup {
  std::string name;
  bool counted = false;
  std::size_t count = 1;
  std::vector<std::string> machines;  // of its members, in turn
  bool in_computation = true;
  bool unmetered = false;
  bool starts_requests = false;          // a client: its start is all its life
  bool as_recorded = false;              // a script of what it did, not a program that reacts
  std::vector<std::uint32_t> processes;  // its members' numbers in the trace
  TwinProgram program;

  // How well it is understood.
  std::uint64_t messages = 0;  // sent and received
  std::uint64_t activities = 0;
  std::uint64_t activities_forced = 0;  // that were given another's form
  std::uint64_t activities_once = 0;    // of a form that came once only: done in their turn, and not understood
  double cpu_s = 0;

  // By its own name, or by that of one of its members.
  bool is_called(const std::string& called) const;
};

// What the trace shows, for the twin's run to be held against.
struct Expected {
  std::map<std::pair<std::string, std::string>, std::uint64_t> messages;  // by sending and receiving group
  std::uint64_t without_peer = 0;                                         // messages between unknown processes
  double T_s = 0;                                                         // CPU time of the metered computation
  double elapsed_s = 0;

  std::uint64_t all_messages() const;
};

struct Twin {
  std::string name;
  std::vector<TwinMachine> machines;
  DelayModel delays;
  std::string delays_from;  // where they are from, in words
  std::vector<TwinGroup> groups;
  std::vector<std::pair<std::string, std::uint32_t>> codes;  // of kinds
  bool services_finish = false;  // it ends when nothing is left to do: of live services it is not known that they end
  std::uint64_t events = 0, messages = 0, messages_used = 0, requests = 0;
  std::vector<std::string> warnings;  // what it could not model
  Expected expected;

  TwinGroup* find(const std::string& group);
};

}  // namespace dpm::twin
