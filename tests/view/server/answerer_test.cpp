#include "view/server/answerer.hpp"

#include <future>

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::view;

namespace {

class EmptyHandler : public RequestHandler {
 public:
  void answer(const PageRequest& request, Done done) override {
    Answer answer;
    answer.json["doubled"] = 2 * request.params.at("number").get<double>();
    done(std::move(answer));
  }
  std::vector<MetricFamily> metrics() override { return {}; }
};

}  // namespace

TEST_CASE("answerer: an asker with many requests waits for itself, not the others for it", "[server]") {
  EmptyHandler handler;
  std::string order;
  std::promise<void> begin, end;
  {
    Answerer answerer(handler);
    answerer.ask(1, [&](RequestHandler&) { begin.get_future().wait(); });
    for (int times = 0; times < 3; ++times) answerer.ask(1, [&](RequestHandler&) { order += 'a'; });
    answerer.ask(2, [&](RequestHandler&) { order += 'b'; });
    answerer.ask(3, [&](RequestHandler&) { order += 'c'; });
    answerer.ask(4, [&](RequestHandler&) { order += 'd'; });
    answerer.forget(4);
    answerer.ask(0, [&](RequestHandler&) { order += 'z'; });
    answerer.ask(1, [&](RequestHandler&) { end.set_value(); });
    begin.set_value();
    end.get_future().wait();
  }
  CHECK(order == "bczaaa");
}

TEST_CASE("answerer: an answer that is given up is an error, and later calls of other copies are not needed",
          "[server]") {
  int calls = 0;
  bool is_error = false;
  const auto note = [&](const Result<Answer>& answer) { ++calls, is_error = !answer; };
  { const auto done = answer_once(note); }
  CHECK(calls == 1);
  CHECK(is_error);
  {
    const auto done = answer_once(note);
    const auto copy = done;
    copy(Answer{});
  }
  CHECK(calls == 2);
  CHECK_FALSE(is_error);
}

TEST_CASE("answerer: parameters of the wrong type are an error of the asker", "[server]") {
  EmptyHandler handler;
  const auto asked = [&](Json params) {
    std::string said;
    answer(handler, {"double", std::move(params)},
           [&](const Result<Answer>& answer) { said = answer ? to_json(*answer) : answer.error().what; });
    return said;
  };
  CHECK(asked({{"number", 4}}) == R"({"doubled":8.0})");
  CHECK(asked({{"number", "four"}}).starts_with("double: a parameter has the wrong type"));
  CHECK(asked(Json::object()).starts_with("double: a parameter has the wrong type"));
}
