#include "view/server/page_server.hpp"

#include <atomic>

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::view;

namespace {

class NoAnswers : public RequestHandler {
 public:
  void answer(const PageRequest&, Done) override {}
  std::vector<MetricFamily> metrics() override { return {}; }
};

Result<std::unique_ptr<PageServer>> start(ServerOptions options) {
  static NoAnswers handler;
  return PageServer::start(std::move(options), "<p>", handler);
}

}  // namespace

TEST_CASE("page server: it listens on this machine alone, under a token that is never the same", "[server]") {
  const auto first = start({}), second = start({});
  REQUIRE(first);
  REQUIRE(second);
  const std::string url = first.value()->url();
  CHECK(url.starts_with("http://127.0.0.1:" + std::to_string(first.value()->port()) + "/"));
  CHECK(url.size() - url.find('/', 8) == 34);
  CHECK(url.substr(url.size() - 33) != second.value()->url().substr(second.value()->url().size() - 33));
}

TEST_CASE("page server: other machines are let in only with a certificate, or knowingly without", "[server]") {
  for (const std::string address : {"0.0.0.0", "::", "10.1.2.3", "::ffff:127.0.0.1"}) {
    const auto refused = start({.address = address});
    REQUIRE_FALSE(refused);
    for (const std::string word : {"--certificate", "--insecure", "ssh -L", address.c_str()})
      CHECK(refused.error().what.find(word) != std::string::npos);
  }
  CHECK(start({.address = "0.0.0.0", .insecure = true}));
  CHECK(check_options({.address = "0.0.0.0", .certificate_file = "c", .key_file = "k"}));
  for (const std::string address : {"127.0.0.1", "127.8.9.1", "::1"}) CHECK(check_options({.address = address}));
}

TEST_CASE("page server: what cannot be listened on is refused with a reason", "[server]") {
  CHECK(start({.address = "localhost"}).error().what.find("not a numeric") != std::string::npos);
  CHECK(start({.address = ""}).error().what.find("not a numeric") != std::string::npos);
  CHECK(start({.certificate_file = "c"}).error().what.find("both files") != std::string::npos);
  CHECK(start({.certificate_file = "/none", .key_file = "/none"}).error().what.find("/none") != std::string::npos);
  const auto first = start({});
  const auto second = start({.port = first.value()->port()});
  CHECK(second.error().what.find("another program listens there") != std::string::npos);
}

TEST_CASE("page server: it can be stopped at any time", "[server]") {
  for (int times = 0; times < 20; ++times) {
    const auto server = start({});
    for (int ticks = 0; ticks < times; ++ticks) server.value()->changed({{"version", ticks}});
  }
}
