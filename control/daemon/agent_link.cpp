#include "control/daemon/agent_link.hpp"

#include <sys/socket.h>

#include <utility>

#include "os/own_program.hpp"

namespace dpm {
namespace {

constexpr const char* kGone = "its agent has ended (the daemon's log may say why)";

}  // namespace

AgentLink::AgentLink(asio::io_context& context, UniqueFd socket, Handlers handlers)
    : link_(context, std::move(socket),
            {std::move(handlers.on_report), [this, on_end = std::move(handlers.on_end)](const std::string&, bool) {
               link_.fail(kGone);
               on_end();
             }}) {}

void AgentLink::ask(control::RequestBody request, Answer answer) {
  link_.ask(std::move(request), [answer = std::move(answer)](Result<control::ReplyBody> reply) {
    answer(reply ? *std::move(reply) : control::Refused{reply.error().what});
  });
}

Result<UniqueFd> start_agent(const std::string& role, const AgentOptions& options) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error::from_errno("make a connection to an agent");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  std::vector<std::string> command = {own_program(), "meterd", role};
  if (!options.machine.empty()) command.insert(command.end(), {"--machine", options.machine});
  if (!options.uses_cgroups) command.emplace_back("--signals");
  command.insert(command.end(), {"--source", options.source});
  if (auto started = start_in_session(command, {.input = theirs.get()}); !started) return started.error();
  return ours;
}

}  // namespace dpm
