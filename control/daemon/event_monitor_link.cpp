#include "control/daemon/event_monitor_link.hpp"

#include <utility>

#include "os/net/timer.hpp"

namespace dpm {

using namespace control;

bool EventMonitorLink::is_for(const RequestBody& request) {
  return std::holds_alternative<ChangeEvents>(request) || std::holds_alternative<LookAtEvents>(request) ||
         std::holds_alternative<EndEvents>(request);
}

void EventMonitorLink::perform(const std::string& controller, RequestBody request, const AgentLink::Answer& answer) {
  if (link_ != nullptr && controller_ != controller)
    return answer(Refused{"another controller already watches the programs of this account there: " + controller_});
  if (std::holds_alternative<EndEvents>(request)) {
    discard();
    return answer(Done{});
  }
  if (link_ == nullptr && std::holds_alternative<LookAtEvents>(request)) return answer(EventsState{});
  if (link_ == nullptr)
    if (auto started = start(controller); !started) return answer(Refused{started.error().what});
  link_->ask(std::move(request), answer);
}

Result<void> EventMonitorLink::start(const std::string& controller) {
  auto socket = start_agent("--events", options_);
  if (!socket) return socket.error();
  controller_ = controller;
  AgentLink::Handlers handlers;
  handlers.on_report = [this](ReportBody body) {
    if (!report_(controller_, std::move(body))) link_->set_reading(false);
  };
  handlers.on_end = [this] {
    EventsSeen seen;
    seen.warnings.emplace_back("its event monitor has ended (the daemon's log may say why): no event is watched");
    report_(controller_, std::move(seen));
    discard();
  };
  link_ = std::make_unique<AgentLink>(context_, *std::move(socket), std::move(handlers));
  return {};
}

void EventMonitorLink::set_reading(const std::string& controller, bool on) {
  if (link_ != nullptr && controller_ == controller) link_->set_reading(on);
}

void EventMonitorLink::end(const std::string& controller) {
  if (controller_ == controller) discard();
}

// Called in a handler of the link, which must not destroy it. The monitor ends with its connection.
void EventMonitorLink::discard() {
  if (link_ != nullptr) later(context_, [link = std::shared_ptr<AgentLink>(std::move(link_))] {});
  link_ = nullptr;
}

}  // namespace dpm
