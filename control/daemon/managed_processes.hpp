// The processes and filters that a daemon manages, by pid, each with the link to its agent.
//
// A managed process belongs to the controller that created or adopted it. While that controller is connected, its
// reports go there. While it is not, the agent keeps the output, and the daemon keeps only what was on its way.
//
// When an agent was killed, the daemon itself watches the program (unattended_program.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/daemon/agent_link.hpp"
#include "control/daemon/unattended_program.hpp"

namespace dpm {

class ManagedProcesses {
 public:
  using Answer = AgentLink::Answer;
  struct Handlers {
    std::function<bool(const std::string& controller)> is_connected;
    // False if the controller takes reports too slowly.
    std::function<bool(const std::string& controller, control::ReportBody)> report;
    std::function<void()> on_release;
    // For the next daemon, should this one and the agent be killed. Either may be empty.
    std::function<void(const control::ManagedProcess&)> write_record;
    std::function<void(std::uint32_t pid)> remove_record;
  };

  // `keep`: how long what has ended waits for a controller that is gone.
  ManagedProcesses(asio::io_context& context, std::chrono::seconds keep, Handlers handlers);

  std::size_t size() const { return entries_.size(); }
  const control::ManagedProcess* find(std::uint32_t pid) const;
  // The filter whose log has this name; null if none is managed.
  const control::ManagedProcess* find_filter_of(const std::string& log) const;
  std::vector<control::ManagedProcess> describe() const;

  // A link whose reports and whose end come here, also before add().
  std::unique_ptr<AgentLink> connect(UniqueFd socket);
  // `listener`: which controller the agent believes to be connected, or kNoListener.
  void add(control::ManagedProcess facts, std::unique_ptr<AgentLink> link, const std::string& listener);

  // A process or filter of an earlier daemon, whose agent was killed. `goes_on`: the process exists.
  void add_unattended(control::ManagedProcess facts, bool goes_on);

  // The controller has connected, or gone.
  void set_connected(const std::string& controller, bool connected);
  // While a controller is slow, what its processes print stays with their agents.
  void set_reading(const std::string& controller, bool on);

  void adopt(const std::string& controller, std::uint32_t pid, const Answer& answer);
  // Asks the agent, for any controller. False: it has none.
  bool ask_agent(std::uint32_t pid, control::RequestBody request, Answer answer);
  // A request about one process, for its agent.
  void pass_on(const std::string& controller, std::uint32_t pid, control::RequestBody request, Answer answer);

  // From now on, and every ten minutes, forgets what ended and whose controller has not come back in time.
  void forget_abandoned();

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    control::ManagedProcess facts;
    std::unique_ptr<AgentLink> link;             // empty if the agent was killed
    std::unique_ptr<UnattendedProgram> program;  // then, until it ends
    std::vector<Answer> killers;                 // then: requests to kill it, answered at its end
    std::vector<control::Output> held;           // output that arrived after the controller had gone
    std::optional<Clock::time_point> abandoned;  // when it was first seen ended, and its controller gone
  };

  // A supervisor whose process has been removed, until its meter has delivered the last events or given up.
  struct Departing {
    std::uint32_t pid = 0;
    std::string controller;
    std::unique_ptr<AgentLink> link;
  };

  Entry* entry_of(std::uint32_t pid);
  Entry* entry_of(const AgentLink* link);
  void set_listener(Entry& entry, const std::string& controller);
  void report(const Entry& entry, control::ReportBody body);
  void on_report(AgentLink* link, control::ReportBody body);
  // A piece of a tunnel, for an agent whose process may have been removed.
  void relay(const std::string& controller, const control::Relay& piece, const Answer& answer);
  void on_departing_report(const AgentLink* link, control::ReportBody body);
  void on_agent_end(AgentLink* link);
  void leave_unattended(Entry& entry);
  void on_program_change(std::uint32_t pid);
  void on_program_end(std::uint32_t pid);
  void write_record(const Entry& entry) const;
  void erase(std::uint32_t pid);
  std::string refusal_of(const std::string& controller, const Entry& entry) const;
  void set_flags(Entry& entry, const control::SetFlags& request, Answer answer);
  void end_filter(Entry& entry, Answer answer);
  void control_unattended(Entry& entry, const control::RequestBody& request, Answer answer);
  void release(Entry& entry, const Answer& answer);

  asio::io_context& context_;
  std::chrono::seconds keep_;
  Handlers handlers_;
  std::map<std::uint32_t, Entry> entries_;  // by pid
  std::list<Departing> departing_;
};

}  // namespace dpm
