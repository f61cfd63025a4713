#include "backends/linux/remote/daemon/charge_link.hpp"

#include <sys/socket.h>

#include <utility>

#include "os/own_program.hpp"

namespace dpm {
namespace {

constexpr const char* kGone = "the process that looked after it has ended (the daemon's log may say why)";

}  // namespace

ChargeLink::ChargeLink(EventLoop& loop, UniqueFd socket, Handlers handlers)
    : handlers_(std::move(handlers)),
      stream_(loop, std::move(socket),
              {[this](control::ControlMessage message) { on_message(std::move(message)); },
               [this](const std::string&, bool) { on_end(); },
               {}}) {}

void ChargeLink::ask(control::RequestBody request, Answer answer) {
  if (stream_.has_ended()) return answer(control::Refused{kGone});
  if (auto sent = stream_.send(control::Request{next_number_, std::move(request)}); !sent)
    return answer(control::Refused{sent.error().what});
  waiting_.emplace(next_number_++, std::move(answer));
}

void ChargeLink::on_message(control::ControlMessage message) {
  if (auto* report = std::get_if<control::Report>(&message)) return handlers_.on_report(std::move(report->body));
  auto* reply = std::get_if<control::Reply>(&message);
  if (reply == nullptr) return;  // nobody asks the daemon from there
  const auto asked = waiting_.find(reply->number);
  if (asked == waiting_.end()) return;
  const Answer answer = std::move(asked->second);
  waiting_.erase(asked);
  answer(std::move(reply->body));
}

void ChargeLink::on_end() {
  for (auto& [number, answer] : std::exchange(waiting_, {})) answer(control::Refused{kGone});
  const auto on_end = std::move(handlers_.on_end);  // outlives us, should it destroy us
  on_end();
}

Result<UniqueFd> start_charge_process(const std::string& role, const std::string& machine) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Error::from_errno("make a connection to a process that looks after a charge");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  std::vector<std::string> command = {own_program(), "meterd", role};
  if (!machine.empty()) command.insert(command.end(), {"--machine", machine});
  if (auto started = start_in_session(command, {.input = theirs.get()}); !started) return started.error();
  return ours;
}

}  // namespace dpm
