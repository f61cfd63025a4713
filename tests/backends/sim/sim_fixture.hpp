// Small systems to simulate, and what was observed of them. Programs run in a child process, so they cannot tell a test
// anything but by their messages (seen as events) or by throwing, which makes the run an Error: expect() below does
// that.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/sim_source.hpp"
#include "model/process_manager.hpp"

namespace dpm::testing {

inline Duration milliseconds(std::int64_t ms) { return {ms * 1'000'000}; }

// In a program: a false expectation ends the run with an error that says which.
inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("expected: " + what);
}

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

inline std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline OutgoingMessage message_of(std::uint32_t code, std::uint32_t length_bytes = 10) {
  OutgoingMessage message;
  message.code = code;
  message.length_bytes = length_bytes;
  return message;
}

// Everything constant, so that expected times can be written down.
inline DelayModel constant_delays(double local_s, double remote_s) {
  DelayModel model;
  model.name = "constant";
  model.local.delivery_s = PiecewiseLinear::through({{1, local_s}}).value();
  model.remote.delivery_s = PiecewiseLinear::through({{1, remote_s}}).value();
  return model;
}

struct Collected : EventSink {
  const TraceInfo* begun_with = nullptr;
  TraceInfo info;  // a copy, for after the run
  std::vector<Event> events;
  LossReport losses;
  int ends = 0;
  bool named_before_used = true;

  void on_begin(const TraceInfo& begin) override { begun_with = &begin; }
  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) {
      const bool peer_known = event.peer.is_none() || event.peer.value < begun_with->processes.size();
      const bool channel_known = event.channel.is_none() || event.channel.value < begun_with->channels.size();
      if (event.process.value >= begun_with->processes.size() || !peer_known || !channel_known)
        named_before_used = false;
    }
    events.insert(events.end(), batch.begin(), batch.end());
  }
  void on_end(const LossReport& report) override {
    losses = report;
    info = *begun_with;
    ++ends;
  }
};

// The outcome of one run.
struct Outcome {
  std::string error;  // empty if the run was none
  SimTruth truth;
  Collected seen;

  std::vector<Event> of(const std::string& process, EventType type) const {
    std::vector<Event> found;
    for (const Event& event : seen.events)
      if (event.type == type && seen.info[event.process].name == process) found.push_back(event);
    return found;
  }

  // "SEND RECEIVECALL RECEIVE": what a process did, in order.
  std::string history_of(const std::string& process) const {
    std::string text;
    for (const Event& event : seen.events)
      if (seen.info[event.process].name == process)
        text += (text.empty() ? "" : " ") + std::string(name_of(event.type));
    return text;
  }

  const ProcessTruth& truth_of(const std::string& process) const {
    for (const auto& each : truth.processes)
      if (each.name == process) return each;
    throw std::runtime_error("no process " + process);
  }
};

// A system in the making.
struct System {
  Scenario scenario;

  System() {
    scenario.name = "test";
    scenario.seed = 7;
    scenario.delays = constant_delays(.001, .010);
  }

  System& machine(const std::string& name, double speed = 1, ClockDescription clock = {}) {
    scenario.machines.push_back({name, speed, clock});
    return *this;
  }

  System& process(const std::string& name, const std::string& machine_name, std::vector<std::string> links,
                  Program program) {
    ProcessDescription description;
    description.name = name;
    description.program_name = name;
    description.program = std::move(program);
    description.machine = machine_name;
    description.links = std::move(links);
    description.flags = MeterFlags::all();
    scenario.processes.push_back(std::move(description));
    return *this;
  }

  System& service(const std::string& name, const std::string& machine_name, std::vector<std::string> links,
                  Program program) {
    process(name, machine_name, std::move(links), std::move(program));
    scenario.processes.back().service = true;
    return *this;
  }

  Outcome run() const {
    SimSource source(scenario);
    Outcome outcome;
    const auto result = source.run(outcome.seen);
    if (!result) outcome.error = result.error().what;
    outcome.truth = source.truth();
    return outcome;
  }
};

}  // namespace dpm::testing
