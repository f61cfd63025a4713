// One simulation: the machines, processes and messages of a scenario, and the kernel operations on them. It exists in
// the child that SimSource forks, once, and leaves it by _exit() when the run has ended, from whatever stack that
// happens on: nothing needs to be unwound in a process that goes away.
//
//   ProcessCalls (a program's calls) ──┐
//   system programs (manager, kernels) ┼──► Simulation ──► Calendar, Network, Meter, Engine
//   faults and limits ─────────────────┘
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/sim/calendar.hpp"
#include "backends/sim/engine.hpp"
#include "backends/sim/meter.hpp"
#include "backends/sim/names.hpp"
#include "backends/sim/network.hpp"
#include "backends/sim/output.hpp"
#include "backends/sim/process.hpp"

namespace dpm::sim {

// Thrown through a program that misused a call; ends the run.
struct Misuse {
  std::string what;
};
// Ends a process from inside: STOPTASK, or a process that is gone but caught what should have ended it.
struct StopTask {};

// Processes of the scenario and created ones have ranks from 1 on, in order.
inline constexpr std::uint32_t kFirstSystemRank = 0x80000000u;

class Simulation {
 public:
  ~Simulation() = delete;  // it ends with the operating system process

  // `running` tells the parent which process (by rank) had the CPU if the child crashes.
  Simulation(const Scenario& scenario, int output_fd, const std::string& log_path, std::atomic<std::uint32_t>& running);

  // Simulates, writes everything to `output_fd`, and ends the operating system process.
  [[noreturn]] void run();

  const Scenario& scenario() const { return scenario_; }
  TrueTime now() const { return engine_.now(); }
  Meter& meter() { return meter_; }
  Names& names() { return names_; }
  Network& network() { return network_; }
  PacketPool& packets() { return packets_; }
  Output& output() { return output_; }

  // ---- processes
  Process* find_process(const std::string& name);
  Machine* find_machine(const std::string& name);
  Process& process_manager() { return *process_manager_; }
  Process& switchboard() { return *switchboard_; }
  const std::vector<Machine*>& machines() const { return machine_order_; }
  std::vector<std::string> process_names() const;

  // A process that does not run yet. Its standard links are in place when give_standard_links() has been called.
  Process& create_process(const std::string& name, const std::string& program_name, Program program, Machine& machine);
  void give_standard_links(Process& process);
  void start(Process& process, Process* who_asked);
  void stop(Process& process, std::uint8_t reason);
  void unstop(Process& process, std::uint8_t reason);
  void destroy(Process& process, Life how);
  void move(Process& process, Machine& to);

  // Marks the end of a process by its own will; the caller leaves its program by throwing StopTask.
  void end_task(Process& process) { end_of_life(process, Life::ended); }

  Channel& create_channel(Process& owner);
  Channel& channel_to(Process& system_process);

  // ---- messages
  // Hands over a packet sent now; it arrives after the delay of its class, never before an earlier one of the same
  // pair.
  void send(Packet& packet);
  // Delivers the messages due by now, so that who looks for one sees what arrives in this very nanosecond: sums of
  // computing times may end a fraction of it before the alarm.
  void deliver_due();

  // ---- the running process
  void runs(const Process& process) { running_.store(process.rank, std::memory_order_relaxed); }
  // Suspends the calling process until something makes it go on.
  void sleep(Process& process);
  void wake(Process& process);
  void set_runnable(Process& process, bool runnable);

  void print_line(const Process& process, std::string_view text) {
    printed_.push_back({process.name, std::string(text)});
  }

  // Ends the run.
  [[noreturn]] void fail(const std::string& what);

 private:
  struct Ending {
    std::string by;
    std::string error;
    bool deadlocked = false;
  };

  void create_machines();
  void create_system_processes();
  void create_scenario_processes();
  void schedule_faults_and_limit();

  void body_of(Process& process);
  void end_of_life(Process& process, Life how);
  void resume(Process& process);

  void on_alarm();
  void deliver(Packet& packet);
  void drop(Packet& packet, const std::string& why);
  void warn(const std::string& about) { ++warnings_[about]; }

  void send_meter_message(Machine& from, std::uint16_t filter, std::vector<Event>& events);

  void at(TrueTime when, std::function<void()> action);
  void apply(const Fault& fault);
  void turn_off(Machine& machine);
  void turn_on(Machine& machine);

  // ---- the end (ending.cpp)
  [[noreturn]] void end(const Ending& ending);
  [[noreturn]] void on_standstill();
  // Ends the run when no process can go on and nothing is under way that could change that; faults alone cannot.
  void check_that_something_can_happen() {
    if (runnable_ == 0 && pending_packets_ == 0) on_standstill();
  }
  void shut_down_services();
  void deliver_remaining_meter_messages();
  SimTruth truth_now(const Ending& ending);
  LossReport losses() const;
  std::string what_it_does(const Process& process) const;

  const Scenario& scenario_;
  std::atomic<std::uint32_t>& running_;
  Names names_;
  Output output_;
  Engine engine_;
  Calendar calendar_;
  Network network_;
  Meter meter_;
  PacketPool packets_;

  std::deque<Machine> machines_;
  std::vector<Machine*> machine_order_;
  std::unordered_map<std::string, Machine*> machine_by_name_;
  std::deque<Process> processes_;
  std::vector<Process*> application_;  // processes of the scenario, then created ones; the others are system processes
  std::unordered_map<std::string, Process*> process_by_name_;  // of the application
  std::deque<Channel> channels_;
  Process* process_manager_ = nullptr;
  Process* switchboard_ = nullptr;
  std::vector<Process*> filters_;

  std::uint32_t next_system_rank_ = kFirstSystemRank;
  std::vector<std::unique_ptr<Actor>> retired_actors_;  // of system processes whose machine was off
  std::vector<std::unique_ptr<ProcessCalls>> retired_calls_;
  std::uint64_t not_ended_ = 0;        // processes the run waits for
  std::uint32_t runnable_ = 0;         // on all machines
  std::uint64_t pending_packets_ = 0;  // under way, without faults and limits
  std::uint64_t messages_sent_ = 0;
  std::uint64_t messages_delivered_ = 0;
  std::uint64_t messages_dropped_ = 0;
  std::map<std::string, std::uint64_t> warnings_;
  std::vector<PrintedLine> printed_;
};

}  // namespace dpm::sim
