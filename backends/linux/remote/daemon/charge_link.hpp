// The daemon's end of the connection to a process that looks after a charge (charge_service.hpp).
#pragma once

#include <functional>
#include <string>

#include "backends/linux/remote/messages/request_link.hpp"

namespace dpm {

class ChargeLink {
 public:
  using Answer = std::function<void(control::ReplyBody)>;
  struct Handlers {
    std::function<void(control::ReportBody)> on_report;
    std::function<void()> on_end;  // the link may be destroyed in it
  };

  ChargeLink(asio::io_context& context, UniqueFd socket, Handlers handlers);

  // `answer` is called in any case: with Refused, if the other end is gone.
  void ask(control::RequestBody request, Answer answer);
  void set_reading(bool on) { link_.set_reading(on); }

 private:
  RequestLink link_;
};

// Starts `dpm meterd ROLE --machine MACHINE`, a process in a session of its own whose standard input is the other end
// of the connection that is returned.
Result<UniqueFd> start_charge_process(const std::string& role, const std::string& machine);

}  // namespace dpm
