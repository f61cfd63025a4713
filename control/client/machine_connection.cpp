#include "control/client/machine_connection.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dpm {

MachineConnection::MachineConnection(asio::io_context& context, const std::vector<std::string>& command,
                                     std::string machine, const std::string& controller, Handlers handlers,
                                     Duration patience)
    : context_(context), machine_(std::move(machine)), handlers_(std::move(handlers)), patience_(context) {
  auto started = LauncherProcess::start(context, command);
  if (!started) {
    patience_.start({}, [this, why = started.error().what] { end(why); });
    return;
  }
  launcher_ = std::move(started->process);
  link_ = std::make_unique<RequestLink>(
      context, std::move(started->channel),
      RequestLink::Handlers{[this](control::ReportBody report) { handlers_.on_report(std::move(report)); },
                            [this](const std::string& why, bool broken) { on_link_end(why, broken); }});
  patience_.start(std::chrono::nanoseconds(patience.ns), [this, patience] {
    end(fmt::format("reach {}: no answer within {} s", machine_, std::lround(patience.seconds())));
  });
  link_->ask(control::Hello{control::kControlVersion, controller, machine_},
             [this](const Result<control::ReplyBody>& reply) { on_reply_to_hello(reply); });
}

MachineConnection::~MachineConnection() = default;

void MachineConnection::on_reply_to_hello(const Result<control::ReplyBody>& reply) {
  if (!reply) return;  // the connection has ended, which is told as its end
  if (const auto* refused = std::get_if<control::Refused>(&*reply))
    return end(fmt::format("{}: {}", machine_, refused->why));
  const auto* welcome = std::get_if<control::Welcome>(&*reply);
  if (welcome == nullptr) return end(fmt::format("reach {}: the program that answers is not a meterdaemon", machine_));
  if (welcome->version != control::kControlVersion)
    return end(fmt::format("{} has control version {}, this dpm version {}: use the same dpm on both machines",
                           machine_, welcome->version, control::kControlVersion));
  patience_.cancel();
  is_open_ = true;
  handlers_.on_open(*welcome);
  for (auto& [request, answer] : std::exchange(early_, {})) link_->ask(std::move(request), std::move(answer));
}

void MachineConnection::ask(control::RequestBody request, Answer answer) {
  if (has_ended()) return answer(Error{ended_});
  if (!is_open_) {
    early_.emplace_back(std::move(request), std::move(answer));
  } else {
    link_->ask(std::move(request), std::move(answer));
  }
}

void MachineConnection::set_reading(bool on) {
  if (is_open_ && !has_ended()) link_->set_reading(on);
}

void MachineConnection::drop(const std::string& why) {
  end(fmt::format("the connection to {} failed: {}", machine_, why));
}

void MachineConnection::on_link_end(const std::string& why, bool broken) {
  if (has_ended()) return;
  if (broken) return drop(why);
  launcher_->when_silent([this](const std::string& said) {
    end("the connection to " + machine_ + " has ended" + (said.empty() ? "" : ": " + said));
  });
}

void MachineConnection::end(const std::string& why) {
  if (has_ended()) return;
  ended_ = why;
  ended_at_ = std::chrono::steady_clock::now();
  patience_.cancel();
  const auto early = std::exchange(early_, {});
  const auto on_end = std::move(handlers_.on_end);
  const bool opened = is_open_;
  if (link_ != nullptr) link_->fail(why);
  link_.reset();
  launcher_.reset();
  for (const auto& [request, answer] : early) answer(Error{why});
  on_end(why, opened);  // may destroy us
}

}  // namespace dpm
