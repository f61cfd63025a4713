// The daemon's end of the machine's event monitor: an agent that looks into programs for one controller.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "control/daemon/agent_link.hpp"

namespace dpm {

class EventMonitorLink {
 public:
  // A report for the controller; false if it takes reports too slowly, until set_reading(true).
  using Report = std::function<bool(const std::string& controller, control::ReportBody)>;

  EventMonitorLink(asio::io_context& context, AgentOptions options, Report report)
      : context_(context), options_(std::move(options)), report_(std::move(report)) {}

  static bool is_for(const control::RequestBody& request);

  // Starts the monitor if there is none. Refused while it is another controller's.
  void perform(const std::string& controller, control::RequestBody request, const AgentLink::Answer& answer);
  void set_reading(const std::string& controller, bool on);
  // The controller is gone: its monitor ends, if it has one.
  void end(const std::string& controller);
  bool is_running() const { return link_ != nullptr; }

 private:
  Result<void> start(const std::string& controller);
  void discard();

  asio::io_context& context_;
  AgentOptions options_;
  Report report_;
  std::unique_ptr<AgentLink> link_;
  std::string controller_;
};

}  // namespace dpm
