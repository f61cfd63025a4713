// Agents that do not manage a process for the daemon yet: those that an earlier daemon has left, until they tell what
// they manage, and those that were started for a request, until they have performed it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "backends/linux/custody/keeper/socket_folder.hpp"
#include "control/daemon/agent_link.hpp"
#include "os/net/timer.hpp"

namespace dpm {

class PendingAgents {
 public:
  struct Handlers {
    std::function<std::unique_ptr<AgentLink>(UniqueFd)> connect;
    // The agent manages this process from now on. `listener`: as told to the agent.
    std::function<void(control::ManagedProcess, std::unique_ptr<AgentLink>, const std::string& listener)> on_ready;
    std::function<void()> on_found;  // no agent of an earlier daemon is waited for any more
  };

  PendingAgents(asio::io_context& context, AgentOptions options, Handlers handlers);

  // Connects to the agents whose sockets are in these folders. One that does not answer in time is left alone.
  void find(const std::vector<SocketFolder>& folders);
  bool is_finding() const { return finding_ > 0; }

  // Starts an agent that performs CreateProcess, AcquireProcess or CreateFilter. `answer` is called before on_ready.
  void create(const std::string& controller, control::RequestBody request, const AgentLink::Answer& answer);
  std::size_t size() const { return pending_.size(); }

 private:
  struct Pending {
    std::unique_ptr<AgentLink> link;
    std::unique_ptr<Timer> timer;  // of those that are being found
  };

  void question(const std::string& name, UniqueFd socket);
  void on_welcome(std::uint64_t id, const std::string& socket_name, const control::ReplyBody& body);
  std::unique_ptr<AgentLink> take(std::uint64_t id);
  void discard(std::uint64_t id);
  void end_search(std::uint64_t id);

  asio::io_context& context_;
  AgentOptions options_;
  Handlers handlers_;
  std::map<std::uint64_t, Pending> pending_;
  std::uint64_t next_id_ = 1;
  std::size_t finding_ = 0;
};

}  // namespace dpm
