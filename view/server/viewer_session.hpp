// What is under way for one viewer's WebSocket: requests that wait, answers that are awaited, messages that are unsent. All
// of it is bounded, whatever the viewer sends and however little it reads. No I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "view/answers/answer.hpp"
#include "view/answers/page_request.hpp"
#include "view/server/server_options.hpp"

namespace dpm::view {

class ViewerSession {
 public:
  explicit ViewerSession(const ServerLimits& limits) : limits_(limits) {}

  // A message of the viewer. An error: it cannot be read, and there is no id to answer it with. False: one request too many;
  // the error message for it is unsent now.
  Result<bool> take(std::string text);
  // False: the viewer has sent enough for now, and TCP makes it wait.
  bool may_read() const;

  // A request whose turn it is, if there may be one more answer.
  std::optional<SocketRequest> next_question();
  void take_answer(SocketMessage message);

  // The next message to send; sent() when it has been sent as a whole.
  struct Unsent {
    enum class Kind { answer, refusal, tick };
    SocketMessage message;
    Kind kind = Kind::answer;
  };
  bool has_unsent() const { return !unsent_.empty(); }
  const Unsent& first_unsent() const { return unsent_.front(); }
  void sent();

  // A tick waits until there is nothing unsent, and a later one takes its place. `version` grows with the ticks.
  enum class Offered { taken, known, skipped, skipped_before };
  Offered offer_tick(const SocketMessage& tick, std::uint64_t version);

 private:
  std::size_t open() const { return waiting_.size() + asked_ + unsent_answers_; }
  void push(SocketMessage message, Unsent::Kind kind);

  const ServerLimits& limits_;
  std::deque<std::string> waiting_;  // parsed again when their turn comes: parsed JSON takes many times their memory
  std::size_t waiting_bytes_ = 0;
  std::size_t asked_ = 0;
  std::deque<Unsent> unsent_;
  std::size_t unsent_bytes_ = 0, unsent_answers_ = 0, unsent_refusals_ = 0;
  std::uint64_t tick_version_ = 0, skipped_version_ = 0;
};

}  // namespace dpm::view
