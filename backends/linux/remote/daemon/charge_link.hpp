// The daemon's end of the connection to a process that looks after a charge (charge_service.hpp).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/linux/remote/messages/message_stream.hpp"

namespace dpm {

class ChargeLink {
 public:
  using Answer = std::function<void(control::ReplyBody)>;
  struct Handlers {
    std::function<void(control::ReportBody)> on_report;
    std::function<void()> on_end;  // the link may be destroyed in it
  };

  ChargeLink(EventLoop& loop, UniqueFd socket, Handlers handlers);

  // `answer` is called in any case: with Refused, if the other end is gone.
  void ask(control::RequestBody request, Answer answer);
  void set_reading(bool on) { stream_.set_reading(on); }

 private:
  void on_message(control::ControlMessage message);
  void on_end();

  Handlers handlers_;
  std::map<std::uint64_t, Answer> waiting_;
  std::uint64_t next_number_ = 1;
  MessageStream stream_;
};

// Starts `dpm meterd ROLE --machine MACHINE`, a process in a session of its own whose standard input is the other end
// of the connection that is returned.
Result<UniqueFd> start_charge_process(const std::string& role, const std::string& machine);

}  // namespace dpm
