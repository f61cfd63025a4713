#include "view/server/viewer_session.hpp"

#include <fmt/format.h>

#include <random>

#include "tests/support/catch.hpp"

using namespace dpm::view;
using Offered = ViewerSession::Offered;

namespace {

std::string asking(std::uint64_t id, std::size_t padding = 0) {
  return fmt::format(R"({{"id":{},"request":"a","pad":"{}"}})", id, std::string(padding, 'x'));
}

SocketMessage message(std::size_t bytes) { return {false, std::string(bytes, 'm')}; }

}  // namespace

TEST_CASE("viewer session: requests are asked in their order, as many as there may be answers", "[server]") {
  const ServerLimits limits{.answers_open_max = 2};
  ViewerSession session(limits);
  for (std::uint64_t id = 1; id <= 3; ++id) CHECK(session.take(asking(id)).value());
  CHECK(session.next_question()->id == 1);
  CHECK(session.next_question()->id == 2);
  CHECK_FALSE(session.next_question());
  session.take_answer(message(3));
  CHECK(session.next_question()->id == 3);
}

TEST_CASE("viewer session: a request is open until its answer is sent, and one too many gets an error", "[server]") {
  const ServerLimits limits{.requests_open_max = 2, .answers_open_max = 1};
  ViewerSession session(limits);
  CHECK(session.take(asking(1)).value());
  CHECK(session.next_question());
  session.take_answer(message(3));
  CHECK(session.take(asking(2)).value());
  CHECK_FALSE(session.take(asking(3)).value());
  session.sent();
  CHECK(session.first_unsent().message.bytes.starts_with(R"({"id":3,"error":)"));
  CHECK(session.take(asking(4)).value());
}

TEST_CASE("viewer session: a message that is not a request is an error", "[server]") {
  const ServerLimits limits;
  ViewerSession session(limits);
  CHECK_FALSE(session.take("hello"));
  CHECK_FALSE(session.has_unsent());
}

TEST_CASE("viewer session: with much unsent, requests wait", "[server]") {
  const ServerLimits limits{.unsent_bytes_max = 10};
  ViewerSession session(limits);
  (void)session.take(asking(1));
  (void)session.take(asking(2));
  CHECK(session.next_question());
  session.take_answer(message(11));
  CHECK_FALSE(session.next_question());
  session.sent();
  CHECK(session.next_question());
}

TEST_CASE("viewer session: a viewer that sends more than may be open is not read from", "[server]") {
  const ServerLimits limits{.requests_open_max = 3, .request_bytes_max = 1000, .answers_open_max = 1};
  ViewerSession session(limits);
  (void)session.take(asking(1, 1000));
  CHECK_FALSE(session.may_read());
  CHECK(session.next_question());
  CHECK(session.may_read());
  for (std::uint64_t id = 2; id <= 6; ++id) (void)session.take(asking(id));  // 4, 5, 6: refused
  CHECK_FALSE(session.may_read());
  session.sent();
  CHECK(session.may_read());
}

TEST_CASE("viewer session: a tick waits for what is unsent, and the latest one counts", "[server]") {
  const ServerLimits limits;
  ViewerSession session(limits);
  CHECK(session.offer_tick(message(1), 1) == Offered::taken);
  CHECK(session.offer_tick(message(1), 1) == Offered::known);
  CHECK(session.offer_tick(message(2), 2) == Offered::skipped);
  CHECK(session.offer_tick(message(2), 2) == Offered::skipped_before);
  CHECK(session.offer_tick(message(3), 3) == Offered::skipped);
  session.sent();
  CHECK_FALSE(session.has_unsent());
  CHECK(session.offer_tick(message(3), 3) == Offered::taken);
  CHECK(session.first_unsent().message.bytes.size() == 3);
}

TEST_CASE("viewer session: whatever happens, what is under way stays bounded and every request has an answer",
          "[server]") {
  const ServerLimits limits{
      .requests_open_max = 5, .request_bytes_max = 300, .answers_open_max = 3, .unsent_bytes_max = 50};
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    ViewerSession session(limits);
    std::uint64_t taken = 0, asked = 0, answered = 0, answers_sent = 0, refused = 0, refusals_sent = 0;
    const auto step = [&](unsigned what) {
      if (what == 0 && session.may_read())
        session.take(asking(taken + refused, random() % 60)).value() ? ++taken : ++refused;
      if (what == 1 && session.next_question()) ++asked;
      if (what == 2 && answered < asked) session.take_answer(message(1 + random() % 30)), ++answered;
      if (what == 3 && session.has_unsent()) {
        using Kind = ViewerSession::Unsent::Kind;
        if (session.first_unsent().kind == Kind::answer) ++answers_sent;
        if (session.first_unsent().kind == Kind::refusal) ++refusals_sent;
        session.sent();
      }
      if (what == 4) (void)session.offer_tick(message(1), random());
      CHECK(taken - answers_sent <= limits.requests_open_max);
      CHECK(refused - refusals_sent <= limits.requests_open_max);
      CHECK(asked - answered <= limits.answers_open_max);
    };
    for (int steps = 0; steps < 300; ++steps) step(static_cast<unsigned>(random() % 5));
    for (int steps = 0; steps < 100; ++steps) step(1 + static_cast<unsigned>(steps) % 3);
    CHECK(answers_sent == taken);
    CHECK(refusals_sent == refused);
    CHECK_FALSE(session.has_unsent());
  }
}
