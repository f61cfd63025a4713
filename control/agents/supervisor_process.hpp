// The agent of one program: a process in a session of its own that outlives the daemon. It is the program's parent,
// meters it and holds its input and output. Control messages tell it what to do (agent_service.hpp). Everything that is
// known of the program is known here, so that a daemon that is killed loses nothing.
//
//     daemon ── CreateProcess ──► supervisor ── pipes, cgroup or signals ──► program and its descendants
//                                  │   └── notified calls ◄── program
//                                  └── events ──► filter
//
// Two state machines describe the program. The state that the daemon is told of follows orders:
//
//     new ─► running ◄──► stopped          acquired: neither started nor stopped nor killed, only metered
//      └───────────────────► │             killed: the first process has ended, for any reason
//
// The life of the program (`Life`) follows events, which come after an order or without one:
//
//     none ─► waits ─► runs ─► ended
//      │        └───────│───────►▲
//      └── acquired ───►┘
//
// If the supervisor is killed, the program's keeper answers its calls and reads its output. A program that is metered from inside
// the kernel has a reader for its output instead.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/sources/source_choice.hpp"
#include "control/agents/agent_service.hpp"
#include "control/agents/meter_path.hpp"
#include "control/agents/meter_thread.hpp"
#include "control/agents/meter_tunnel.hpp"
#include "control/agents/program_group.hpp"
#include "control/agents/program_streams.hpp"
#include "model/metering_method.hpp"
#include "os/net/signal_watch.hpp"

namespace dpm {

class SupervisorProcess {
 public:
  struct Options {
    std::string machine;                        // empty: the name of this machine
    bool uses_cgroups = true;                   // to stop and kill the program, where one can be made
    std::string source = SourceChooser::kAuto;  // how it is metered, where the request does not say
  };

  // `daemon` is the connection to the daemon that started us.
  static Result<void> run(UniqueFd daemon, const Options& options, const OpenMeterSink& open_sink);

 private:
  using RequestId = AgentService::RequestId;

  SupervisorProcess(asio::io_context& context, const Options& options, const OpenMeterSink& open_sink);

  enum class Life : std::uint8_t {
    none,   // no process yet
    waits,  // before its first instruction: the order to start it, or its meter, is missing
    runs,   // stopped or not
    ended,  // its first process has ended; until "killed", the report waits for its last events and its output
  };
  void enter(Life next);

  control::ManagedProcess describe() const;
  void on_request(RequestId id, control::RequestBody request);
  // Empty: the answer comes later.
  using Answer = std::optional<control::ReplyBody>;
  Result<Answer> perform(RequestId id, control::RequestBody& request);

  Result<control::ProcessCreated> create(const control::CreateProcess& request);
  Result<std::unique_ptr<MeteredRun>> launch_with_streams(const control::CreateProcess& request, std::string& warning);
  Result<SourceChooser::Choice> choose_source(const std::string& wanted, std::uint32_t running_pid) const;
  Result<control::ProcessCreated> acquire(const control::AcquireProcess& request);
  void give_cgroup();
  void watch_cgroup();
  void look_at_cgroup();
  void leave_cgroup();
  MeterWay way_to(const FilterAddress& filter);
  Result<void> meter(std::unique_ptr<MeteredRun> run, const FilterAddress& filter, MeterFlags flags);

  Result<void> set_flags(MeterFlags flags);
  Result<void> start(RequestId id);
  Result<void> stop();
  Result<void> kill(RequestId id);
  Result<void> release(RequestId id);
  void finish_release();
  std::string left_behind_text() const;

  bool is_still() const;
  void note_changes();
  void confirm_change(int signal);
  void open_gate();
  void keep_reaping();
  void on_program_end();
  void conclude();
  void tell_end();
  void set_state(control::ProcessState state);
  void set_delivery(const control::Delivery& delivery);
  void leave();

  asio::io_context& context_;
  std::string machine_;  // never empty
  bool uses_cgroups_;
  const OpenMeterSink& open_sink_;
  const SourceChooser sources_;
  const std::string source_;
  AgentService service_;
  MeterTunnel tunnel_;
  ProgramStreams streams_;
  control::ManagedProcess managed_;
  Life life_ = Life::none;
  // Each of these two may be true in every state of its life: a program that was acquired is released while it runs.
  bool is_child_ = false;     // launched by us; not acquired
  bool is_released_ = false;  // the agent stays until the meter has delivered its events

  std::unique_ptr<MeterThread> meter_;
  std::optional<SignalWatch> children_;  // once it has begun
  std::optional<Descriptor> program_;    // a pidfd of its first process
  UniqueFd program_stat_;                // its /proc/PID/stat
  ProgramGroup group_;                   // with its descendants
  std::optional<Descriptor> cgroup_events_;
  Timer change_timer_;
  // Since our last SIGSTOP. About a signal on its way, not about the program: no state says how long it takes.
  bool may_not_have_stopped_ = false;
  Timer conclude_timer_;
  std::vector<RequestId> starters_, killers_, releasers_;  // to be answered
};

}  // namespace dpm
