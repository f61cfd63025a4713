// The asking end of a connection: requests and their replies, and reports in between. Both the controller (to a daemon)
// and the daemon (to an agent) use it.
#pragma once

#include <functional>
#include <string>

#include "control/messages/message_stream.hpp"
#include "control/messages/request_matcher.hpp"

namespace dpm {

class RequestLink {
 public:
  using Answer = RequestMatcher::Answer;
  // Requests that the other end has not taken; more are refused.
  static constexpr std::size_t kUnsentBytesMax = 16 * 1024 * 1024;

  struct Handlers {
    std::function<void(control::ReportBody)> on_report;
    // Once; `broken` as in MessageStream. The link may be destroyed in it. Requests still wait for an answer: fail().
    std::function<void(const std::string& why, bool broken)> on_end;
  };

  RequestLink(asio::io_context& context, UniqueFd socket, Handlers handlers);

  // A request that cannot be sent is answered at once. One that is made after the end is answered by fail().
  void ask(control::RequestBody request, Answer answer);
  // After the end: answers all requests with this error, and those of the future.
  void fail(const std::string& why);
  void set_reading(bool on) { stream_.set_reading(on); }

 private:
  void on_message(control::ControlMessage message);

  Handlers handlers_;
  RequestMatcher matcher_;
  std::string failure_;
  MessageStream stream_;
};

}  // namespace dpm
