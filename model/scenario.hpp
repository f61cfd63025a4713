// A system to simulate, as plain data: what the scenario loader makes of a file, and what the simulator runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/delay_model.hpp"
#include "model/feedback.hpp"
#include "model/meter_flags.hpp"
#include "model/program.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

namespace dpm {

// A machine's own clock: local = floor((offset + (1 + drift) * true) / tick) * tick.
struct ClockDescription {
  Duration offset;
  double drift_ppm = 0;
  Duration tick = {1};
};

struct MachineDescription {
  std::string name;
  double speed = 1;
  ClockDescription clock;
  std::uint16_t cores = 1;  // the number of processes that run at full speed at a time
  // Whether processes of other machines may be placed on it. Not given: unless it is a device, all of whose processes are
  // services outside the computation.
  std::optional<bool> accepts = std::nullopt;
};

struct ProcessDescription {
  std::string name;
  std::string program_name;
  Program program;
  std::string machine;
  std::vector<std::string> links;  // processes it holds a link to from the start
  MeterFlags flags;
  std::string filter;  // name of the filter its meter messages go to
  bool in_computation = true;
  bool created_later = false;  // by another process: create_and_start_process()
  bool service = false;        // a server that never ends by itself: the run ends when every other process has ended
};

// A program that can be created while the scenario runs.
struct SpawnableProgram {
  std::string name;
  Program program;
  bool in_computation = true;
};

struct FilterDescription {
  std::string name;
  std::string machine;
};

// What happens to messages between two machines besides the delay model's time; the same in both directions.
struct LinkDescription {
  std::string machine_a, machine_b;              // both empty: every two machines that no other one names
  std::function<Duration(Random&)> extra_delay;  // drawn for each message; empty: none
  double loss = 0;                               // the chance that a message between processes is lost
  double bytes_per_s = 0;  // the messages of one direction travel one after the other at this rate; 0: no limit
};

struct MeterDescription {
  std::uint32_t buffered_events = 50;  // to a meter message (1988 paper III.B); per machine and filter
  Duration cpu_per_event;              // what producing one event costs the metered process
  Duration cpu_per_meter_message;      // what sending one meter message costs the metered process that fills the buffer
  std::uint32_t bytes_per_event = 64;
  bool delayed_delivery = false;  // meter messages take the delay model's time; otherwise they arrive at once
};

enum class FaultKind { machine_off, machine_on, link_down, link_up, process_off, process_on, machine_speed };

// In the memory of the machine whose processes use it.
struct SemaphoreDescription {
  std::string name;
  std::uint64_t units = 0;  // at the beginning
};

struct Fault {
  Duration at;  // true time
  FaultKind kind = FaultKind::machine_off;
  std::string machine;
  std::string other_machine = {};  // for links
  bool restart = false;            // of machine_on: the processes that it lost begin again
  std::string process = {};
  double speed = 1;  // of machine_speed: what it computes from then on
};

struct Scenario {
  std::string name;
  std::string placement;
  std::uint64_t seed = 1;
  DelayModel delays;
  std::vector<LinkDescription> network;
  std::vector<MachineDescription> machines;
  std::vector<ProcessDescription> processes;
  std::vector<SpawnableProgram> programs;
  std::vector<SemaphoreDescription> semaphores;
  std::vector<FilterDescription> filters;
  MeterDescription meter;
  std::vector<Fault> faults;
  Duration time_limit = {0};        // of simulated time; 0: no limit
  bool services_finish = false;     // the run ends when its services have nothing left to do, not before
  std::uint64_t message_limit = 0;  // an endless scenario ends here with an error; 0: no limit
  std::uint32_t move_data_message_bytes = 1000;
  // Of a process that migrates, besides its address space and waiting messages: execution status, dispatch information,
  // memory and link tables.
  std::uint32_t migration_state_bytes = 1000;
  std::optional<SchedulerDescription> scheduler;  // as the file has it; it does nothing by itself
  std::optional<Feedback> feedback;               // where filters send what they have selected
};

}  // namespace dpm
