// The daemon's end of the connection to an agent (agent_service.hpp).
#pragma once

#include <functional>
#include <string>

#include "control/messages/request_link.hpp"

namespace dpm {

class AgentLink {
 public:
  using Answer = std::function<void(control::ReplyBody)>;
  struct Handlers {
    std::function<void(control::ReportBody)> on_report;
    std::function<void()> on_end;  // the link may be destroyed in it
  };

  AgentLink(asio::io_context& context, UniqueFd socket, Handlers handlers);

  // `answer` is always called: with Refused if the agent has ended.
  void ask(control::RequestBody request, Answer answer);
  void set_reading(bool on) { link_.set_reading(on); }

 private:
  RequestLink link_;
};

// What a daemon passes on to its agents.
struct AgentOptions {
  std::string machine;       // as in Meterd::Options
  bool uses_cgroups = true;  // to stop and kill programs
  std::string source;        // as in Meterd::Options
};

// Starts an agent, `dpm meterd ROLE --machine MACHINE`, in a session of its own. Its standard input is the other end of the
// returned connection.
Result<UniqueFd> start_agent(const std::string& role, const AgentOptions& options);

}  // namespace dpm
