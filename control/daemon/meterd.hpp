// The meterdaemon: one for each user and machine (metering report 3.5.1). It connects controllers, which reach it through
// `dpm meterd --attach`, with the agents of the processes that they manage.
//
//     controller ──┐                          ┌── supervisor ── program
//     controller ──┴── "meterd@MACHINE" ── meterd ── supervisor ── program
//                      (a UNIX socket)        └── collector ── filter
//
// Everything that must last is in the agents. A daemon can be killed at any time: the next one finds the agents again.
// It ends when no controller has been connected for a while and it manages no process.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "control/daemon/controllers.hpp"
#include "control/daemon/event_monitor_link.hpp"
#include "control/daemon/log_settling.hpp"
#include "control/daemon/managed_processes.hpp"
#include "control/daemon/managed_records.hpp"
#include "control/daemon/pending_agents.hpp"
#include "os/net/listener.hpp"

namespace dpm {

// The socket of a machine's daemon. `machine` is empty for the daemon of this machine, or the name of one of several
// that stand for machines of their own.
std::string meterd_socket(const std::string& machine);

class Meterd {
 public:
  struct Options {
    std::string machine;
    std::chrono::seconds idle{300};           // how long it waits for something to do
    std::chrono::seconds hello_patience{15};  // for a controller to say who it is
    std::chrono::seconds keep{86'400};        // what has ended, for a controller that is gone
    bool uses_cgroups = true;                 // to stop and kill programs, where they can be made
    std::string source = "auto";              // how programs are metered, where a job does not say
  };

  // `on_ready` is called when it listens. Returns when it has ended by itself; an error if one runs already.
  static Result<void> run(const Options& options, const std::function<void()>& on_ready);

 private:
  using RequestId = Controllers::RequestId;

  Meterd(asio::io_context& context, const Options& options);
  Result<void> begin();
  void take_unattended();
  void note_activity();

  void on_hello(const std::string& controller, RequestId id);
  void welcome(const std::string& controller, RequestId id);
  void perform(const std::string& controller, RequestId id, control::RequestBody request);
  void create(const std::string& controller, control::RequestBody request, const AgentLink::Answer& answer);
  void find_file(RequestId id, const std::shared_ptr<FileSearch>& search);
  struct Log {
    std::string path;
    std::uint32_t filter = 0;     // that writes it; 0: none does
    std::uint32_t collector = 0;  // of that filter, by the filter's pid; 0: there is none
  };
  Result<Log> find_log(const std::string& name) const;
  void get_log(RequestId id, const control::GetLog& request);
  void get_deliveries(RequestId id, const Log& log, const control::GetLog& request);
  void list_log(RequestId id, const Log& log, const std::shared_ptr<LogSettling>& settling);

  asio::io_context& context_;
  Options options_;
  Timer idle_timer_;
  std::vector<SocketFolder> folders_;  // the first has our socket; earlier daemons may have used the others
  std::string identity_;               // empty: not known, as where the disk is full
  std::optional<ManagedRecords> records_;
  Controllers controllers_;
  ManagedProcesses processes_;
  PendingAgents agents_;
  EventMonitorLink events_;
  std::vector<std::pair<std::string, RequestId>> waiting_hellos_;  // until the agents have been found
  std::optional<Listener> listener_;
};

}  // namespace dpm
