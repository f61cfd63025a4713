// Which request a reply answers.
#include "control/messages/request_matcher.hpp"

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using namespace control;

struct Answers {
  RequestMatcher::Answer under(const std::string& name) {
    return [this, name](const Result<ReplyBody>& reply) {
      said += name + (reply ? (std::holds_alternative<Refused>(*reply) ? " refused; " : " done; ")
                            : " " + reply.error().what + "; ");
    };
  }
  std::string said;
};

TEST_CASE("request matcher: replies in any order find what asked for them, each once", "[daemon]") {
  Answers answers;
  RequestMatcher matcher;
  const auto a = matcher.expect(answers.under("a")), b = matcher.expect(answers.under("b"));
  CHECK(a != 0);  // which means a request that could not be read
  CHECK(a != b);
  CHECK(matcher.answer(b, ReplyBody(Done{})));
  CHECK(matcher.answer(a, ReplyBody(Refused{"no"})));
  CHECK(answers.said == "b done; a refused; ");
  CHECK_FALSE(matcher.answer(a, ReplyBody(Done{})));
  CHECK_FALSE(matcher.answer(0, ReplyBody(Done{})));
  CHECK_FALSE(matcher.answer(b + 1, ReplyBody(Done{})));
  CHECK(answers.said == "b done; a refused; ");
}

TEST_CASE("request matcher: what is never answered fails, in the order of asking, with the reason", "[daemon]") {
  Answers answers;
  RequestMatcher matcher;
  matcher.expect(answers.under("a"));
  const auto b = matcher.expect(answers.under("b"));
  matcher.expect(answers.under("c"));
  matcher.answer(b, ReplyBody(Done{}));
  matcher.fail("gone");
  matcher.fail("gone again");
  CHECK(answers.said == "b done; a gone; c gone; ");
}

TEST_CASE("request matcher: an answer may ask again", "[daemon]") {
  Answers answers;
  RequestMatcher matcher;
  std::uint64_t second = 0;
  const auto first =
      matcher.expect([&](const Result<ReplyBody>&) { second = matcher.expect(answers.under("second")); });
  CHECK(matcher.answer(first, ReplyBody(Done{})));
  CHECK(matcher.answer(second, ReplyBody(Done{})));
  CHECK(answers.said == "second done; ");
}

}  // namespace
}  // namespace dpm
