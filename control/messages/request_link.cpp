#include "control/messages/request_link.hpp"

#include <utility>

namespace dpm {

RequestLink::RequestLink(asio::io_context& context, UniqueFd socket, Handlers handlers)
    : handlers_(std::move(handlers)),
      stream_(context, std::move(socket),
              {[this](control::ControlMessage message) { on_message(std::move(message)); },
               [this](const std::string& why, bool broken) {
                 const auto on_end = std::move(handlers_.on_end);  // outlives us, should it destroy us
                 on_end(why, broken);
               },
               {}}) {}

void RequestLink::ask(control::RequestBody request, Answer answer) {
  if (!failure_.empty()) return answer(Error{failure_});
  if (stream_.queued_bytes() > kUnsentBytesMax)
    return answer(Error{"it does not read what was sent to it: this request would wait with the rest"});
  const std::uint64_t number = matcher_.expect(std::move(answer));
  if (auto sent = stream_.send(control::Request{number, std::move(request)}); !sent)
    matcher_.answer(number, sent.error());
}

void RequestLink::fail(const std::string& why) {
  failure_ = why;
  matcher_.fail(why);
}

void RequestLink::on_message(control::ControlMessage message) {
  if (auto* report = std::get_if<control::Report>(&message)) return handlers_.on_report(std::move(report->body));
  auto* reply = std::get_if<control::Reply>(&message);
  if (reply == nullptr) return stream_.drop("it sent a request instead of an answer");
  // What could not be read has no number.
  const auto* refused = std::get_if<control::Refused>(&reply->body);
  if (refused != nullptr && reply->number == 0) return stream_.drop("it does not understand this dpm: " + refused->why);
  if (!matcher_.answer(reply->number, std::move(reply->body))) stream_.drop("it answered a request that was not made");
}

}  // namespace dpm
