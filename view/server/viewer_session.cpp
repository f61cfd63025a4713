#include "view/server/viewer_session.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/check.hpp"

namespace dpm::view {

Result<bool> ViewerSession::take(std::string text) {
  const auto request = read_socket_request(text);
  if (!request) return request.error();
  if (open() >= limits_.requests_open_max) {
    push(error_message(request->id, fmt::format("{} requests of this viewer are open: wait for their answers",
                                                limits_.requests_open_max)),
         Unsent::Kind::refusal);
    return false;
  }
  waiting_bytes_ += text.size();
  waiting_.push_back(std::move(text));
  return true;
}

bool ViewerSession::may_read() const {
  return waiting_bytes_ < limits_.request_bytes_max && unsent_refusals_ < limits_.requests_open_max;
}

std::optional<SocketRequest> ViewerSession::next_question() {
  if (waiting_.empty() || asked_ >= limits_.answers_open_max || unsent_bytes_ > limits_.unsent_bytes_max)
    return std::nullopt;
  auto request = read_socket_request(waiting_.front()).value();
  waiting_bytes_ -= waiting_.front().size();
  waiting_.pop_front();
  ++asked_;
  return request;
}

void ViewerSession::take_answer(SocketMessage message) {
  DPM_CHECK(asked_ > 0);
  --asked_;
  push(std::move(message), Unsent::Kind::answer);
}

void ViewerSession::push(SocketMessage message, Unsent::Kind kind) {
  unsent_bytes_ += message.bytes.size();
  if (kind == Unsent::Kind::answer) ++unsent_answers_;
  if (kind == Unsent::Kind::refusal) ++unsent_refusals_;
  unsent_.push_back({std::move(message), kind});
}

void ViewerSession::sent() {
  const auto& first = unsent_.front();
  unsent_bytes_ -= first.message.bytes.size();
  if (first.kind == Unsent::Kind::answer) --unsent_answers_;
  if (first.kind == Unsent::Kind::refusal) --unsent_refusals_;
  unsent_.pop_front();
}

ViewerSession::Offered ViewerSession::offer_tick(const SocketMessage& tick, std::uint64_t version) {
  if (version == tick_version_) return Offered::known;
  if (has_unsent())
    return std::exchange(skipped_version_, version) == version ? Offered::skipped_before : Offered::skipped;
  tick_version_ = version;
  push(tick, Unsent::Kind::tick);
  return Offered::taken;
}

}  // namespace dpm::view
