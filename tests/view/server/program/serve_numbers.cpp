// A program with a page server, for check_server.py: it answers with numbers, slowly if it is asked to, and sends ticks. It
// prints its address, and ends with its standard input.
//
//     serve_numbers [--address A] [--certificate FILE --key FILE] [--insecure] [--allow-host NAME] [--short-limits]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "view/server/page_server.hpp"

namespace {

using namespace dpm::view;
using dpm::Error;
using dpm::Result;

constexpr const char* kPage =
    "<!DOCTYPE html><html><head><style>p { color: green }</style></head><body><p id=\"p\">numbers</p>"
    "<script>document.getElementById('p').textContent = 'script';</script></body></html>\n";

void sleep_ms(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }

Answer numbers(std::size_t count) {
  Answer answer;
  answer.json["count"] = count;
  std::vector<double> doubles(count);
  std::vector<float> floats(count);
  std::vector<std::uint32_t> words(count);
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t at = 0; at < count; ++at) {
    doubles[at] = at == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(at) / 8;
    floats[at] = static_cast<float>(at) / 4;
    words[at] = static_cast<std::uint32_t>(at * 1000);
    bytes[at] = static_cast<std::uint8_t>(at);
  }
  answer.arrays = {{"f64", doubles}, {"f32", floats}, {"u32", words}, {"u8", bytes}};
  return answer;
}

class Numbers : public RequestHandler {
 public:
  ~Numbers() override {
    for (auto& thread : threads_) thread.join();
  }

  void answer(const PageRequest& request, Done done) override {
    const auto& params = request.params;
    if (request.name == "echo") return done(Answer{{{"params", params}}, {}});
    if (request.name == "numbers") return done(numbers(params.at("count").get<std::size_t>()));
    if (request.name == "name") return done(Answer{{{"name", "a\xff\xc3<script>"}}, {}});
    if (request.name == "large")
      return done(Answer{{}, {{"bytes", std::vector<std::uint8_t>(params.at("bytes").get<std::size_t>())}}});
    if (request.name == "slow") {
      sleep_ms(params.at("ms").get<double>());
      return done(Answer{{{"slept", true}}, {}});
    }
    if (request.name == "later") {
      threads_.emplace_back([done, ms = params.at("ms").get<double>()] {
        sleep_ms(ms);
        done(Answer{{{"later", true}}, {}});
      });
      return;
    }
    if (request.name == "never") return;
    done(Error{fmt::format("there is no request '{}'", request.name)});
  }

  std::vector<MetricFamily> metrics() override {
    return {{"numbers_names",
             "Names\nwith \\ in them.",
             MetricFamily::Type::gauge,
             {{{{"name", "quote\" backslash\\ line\nend"}, {"other", "{a=\"b\"} 1"}}, 1}, {{{"name", "\xff"}}, 0.25}}}};
  }

 private:
  std::vector<std::thread> threads_;
};

ServerLimits short_limits() {
  using std::chrono::milliseconds;
  ServerLimits limits;
  limits.header = milliseconds(1000);
  limits.unread = milliseconds(2000);
  limits.silence = milliseconds(2000);
  limits.answer_patience = milliseconds(1000);
  return limits;
}

ServerOptions options_of(const std::vector<std::string>& words) {
  ServerOptions options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const auto& word = words[at];
    if (word == "--insecure") options.insecure = true;
    if (word == "--short-limits") options.limits = short_limits();
    if (at + 1 == words.size()) break;
    if (word == "--address") options.address = words[at + 1];
    if (word == "--certificate") options.certificate_file = words[at + 1];
    if (word == "--key") options.key_file = words[at + 1];
    if (word == "--allow-host") options.allowed_hosts.push_back(words[at + 1]);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  Numbers handler;
  auto server = PageServer::start(options_of({argv + 1, argv + argc}), kPage, handler);
  if (!server) {
    fmt::print(stderr, "serve_numbers: {}\n", server.error().what);
    return 2;
  }
  fmt::print("{}\n", server.value()->url());
  std::fflush(stdout);
  // A tick for each line; the end of the input ends the program.
  for (int version = 1, c = 0; (c = std::getchar()) != EOF;) {
    if (c == '\n') server.value()->changed({{"version", version++}});
  }
  return 0;
}
