// A twin: a scenario made from measurements, as data. Its processes perform steps of the scenario language, in which
// everything has a name and nothing is resolved. scenario_text.hpp writes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/delay_model.hpp"
#include "scenarios/behaviour/behaviour.hpp"

namespace dpm::twin {

// A message that is sent to the process and never taken: it stays in the queue, as in the trace.
struct UnreadMessage {
  std::string kind;
  std::string from;  // group
};

struct TwinProgram {
  Steps start;
  std::vector<Handler> handlers;
  std::vector<std::string> variables;  // counters, 0 at first
  std::vector<UnreadMessage> unread;
  std::string admits_from;  // empty: no limit
  std::uint64_t admits_at_most = 0;
};

struct TwinMachine {
  std::string name;
  double speed = 1;
  std::uint16_t cores = 1;
};

// Times of one sort that were seen.
struct TimesSeen {
  std::uint64_t count = 0;
  double sum_s = 0;

  void add(std::uint64_t time_ns) {
    count += time_ns > 0;
    sum_s += static_cast<double>(time_ns) * 1e-9;
  }
  double mean_s() const { return count == 0 ? 0 : sum_s / static_cast<double>(count); }
};

struct TwinGroup {
  std::string name;
  bool counted = false;
  std::size_t count = 1;
  std::vector<std::string> machines;  // of its members, in turn
  bool in_computation = true;
  bool unmetered = false;
  bool starts_requests = false;          // a client: its start is all it does
  bool as_recorded = false;              // a script of what it did, not a program that reacts
  std::vector<std::uint32_t> processes;  // its members' numbers in the trace
  TwinProgram program;

  // How much of it was inferred.
  std::uint64_t messages = 0;  // sent and received
  std::uint64_t activities = 0;
  std::uint64_t activities_forced = 0;  // that were given another activity's form
  std::uint64_t activities_once = 0;    // whose form came only once: repeated in order, but not explained
  double cpu_s = 0;
  TimesSeen sleeps;
  TimesSeen timeouts;  // after which it sent again
  TimesSeen give_ups;  // of waits after which it did something else

  // By the group's name, or by that of one of its members.
  bool is_called(const std::string& called) const;
};

// What the trace shows, to compare the twin's run with.
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
  std::string delays_from;  // the source of the delays, in words
  std::vector<TwinGroup> groups;
  std::vector<std::pair<std::string, std::uint32_t>> codes;  // of kinds
  bool services_finish = false;  // a run ends when nothing is left to do: whether live services end is not known
  std::uint64_t events = 0, messages = 0, messages_used = 0, requests = 0;
  std::vector<std::string> warnings;  // what it could not model
  Expected expected;

  TwinGroup* find(const std::string& group);
};

}  // namespace dpm::twin
