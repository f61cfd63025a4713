#include "view/server/gate.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"
#include "view/server/response_head.hpp"
#include "view/server/server_counters.hpp"

using namespace dpm::view;

namespace {

const std::string kToken = "00112233445566778899aabbccddeeff";

Gate gate(bool has_tls = false) { return {kToken, HostNames(8000, has_tls, {"127.0.0.1"}, {}), has_tls}; }

Knock knock(std::string_view target) {
  Knock knock;
  knock.method = "GET";
  knock.target = target;
  knock.host = "127.0.0.1:8000";
  return knock;
}

Knock socket_knock(std::string_view target) {
  Knock socket = knock(target);
  socket.origin = "http://127.0.0.1:8000";
  socket.has_origin = socket.wants_socket = true;
  return socket;
}

// As the metrics name it.
std::string name_of(Refusal why) {
  ServerCounters counters;
  ++counters[why];
  const auto families = metrics_of(counters);
  for (const auto& sample : families.back().samples)
    if (sample.value == 1) return sample.labels.front().second;
  return "";
}

std::string verdict(const Knock& knock, bool has_tls = false) {
  const auto judged = gate(has_tls).judge(knock);
  if (const auto* why = std::get_if<Refusal>(&judged)) return name_of(*why);
  const auto& admission = std::get<Admission>(judged);
  constexpr std::string_view kPlaces[] = {"page", "page_without_slash", "socket", "answer", "metrics"};
  return fmt::format("{} {} {}", kPlaces[static_cast<int>(admission.place)], admission.name, admission.query);
}

std::string verdict_of(std::string_view behind_token) {
  const std::string target = "/" + kToken + std::string(behind_token);
  return verdict(knock(target));
}

}  // namespace

TEST_CASE("gate: there are five addresses below the token, each written in one way", "[server]") {
  CHECK(verdict_of("/") == "page  ");
  CHECK(verdict_of("/?x=1") == "page  ");
  CHECK(verdict_of("") == "page_without_slash  ");
  CHECK(verdict_of("/metrics") == "metrics  ");
  CHECK(verdict_of("/api/traffic?from_s=0") == "answer traffic from_s=0");
  const std::string target = "/" + kToken + "/socket";
  CHECK(verdict(socket_knock(target)) == "socket  ");
  for (const std::string_view other : {"//", "/./", "/../", "/metrics/", "/Metrics", "/%6detrics", "/page", "/api",
                                       "/socket/", "/api%2ftraffic", "/..%2f", "/%2e%2e/", "/%252e%252e/etc/passwd"}) {
    CAPTURE(other);
    CHECK(verdict_of(other) == "path");
  }
}

TEST_CASE("gate: without the exact token every address is refused alike", "[server]") {
  const auto target = GENERATE(as<std::string>{}, "", "/", "*", "x", "/" + kToken.substr(1), "/" + kToken + "0/",
                               "//" + kToken + "/", "/" + kToken.substr(0, 31) + "e/",
                               "/00112233445566778899AABBCCDDEEFF/", "http://127.0.0.1:8000/" + kToken + "/",
                               "/?" + kToken, "/metrics", "/..//" + kToken + "/", "/%30" + kToken.substr(1) + "/");
  CAPTURE(target);
  CHECK(verdict(knock(target)) == "token");
  Knock other = knock(target);
  other.method = "DELETE";
  CHECK(verdict(other) == "token");
}

TEST_CASE("gate: a name that is not the server's is refused before the token is looked at", "[server]") {
  const std::string target = "/" + kToken + "/";
  for (const std::string_view host : {"evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "",
                                      "127.0.0.1:8000.evil.example", "localhost"}) {
    CAPTURE(host);
    Knock other = knock(target);
    other.host = host;
    CHECK(verdict(other) == "host");
    other.target = "/";
    CHECK(verdict(other) == "host");
  }
  Knock none = knock(target);
  none.host.reset();
  CHECK(verdict(none) == "host");
}

TEST_CASE("gate: only the page's own origin may use it", "[server]") {
  const std::string target = "/" + kToken + "/api/x", socket = "/" + kToken + "/socket";
  for (const std::string_view origin : {"http://evil.example", "null", "", "https://127.0.0.1:8000",
                                        "http://127.0.0.1:8001", "http://localhost:8000", "127.0.0.1:8000"}) {
    CAPTURE(origin);
    Knock other = knock(target);
    other.has_origin = true;
    other.origin = origin;
    CHECK(verdict(other) == "origin");
    Knock viewer = socket_knock(socket);
    viewer.origin = origin;
    CHECK(verdict(viewer) == "origin");
  }
  Knock twice = knock(target);
  twice.has_origin = true;  // several: there is no single one
  CHECK(verdict(twice) == "origin");
  Knock without = socket_knock(socket);
  without.has_origin = false;
  without.origin.reset();
  CHECK(verdict(without) == "origin");
  Knock with_tls = socket_knock(socket);
  CHECK(verdict(with_tls, true) == "origin");
  with_tls.origin = "https://127.0.0.1:8000";
  CHECK(verdict(with_tls, true) == "socket  ");
}

TEST_CASE("gate: only GET and HEAD, without a body; a WebSocket asks for itself", "[server]") {
  const std::string target = "/" + kToken + "/", socket = "/" + kToken + "/socket";
  Knock head = knock(target);
  head.method = "HEAD";
  CHECK(verdict(head) == "page  ");
  for (const std::string_view method : {"POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "get", "PATCH"}) {
    Knock other = knock(target);
    other.method = method;
    CHECK(verdict(other) == "method");
  }
  Knock body = knock(target);
  body.has_body = true;
  CHECK(verdict(body) == "body");
  Knock plain = socket_knock(socket);
  plain.wants_socket = false;
  CHECK(verdict(plain) == "malformed");
}

TEST_CASE("host names: those of the server, in any case, and what was allowed", "[server]") {
  const HostNames names(8000, false, {"10.0.0.5", "fe80::1"}, {"Box.example", "tunnel:9000", "[::2]:7"});
  for (const std::string_view host : {"127.0.0.1:8000", "LOCALHOST:8000", "[::1]:8000", "10.0.0.5:8000",
                                      "[fe80::1]:8000", "box.example", "box.example:8000", "tunnel:9000", "[::2]:7"}) {
    CAPTURE(host);
    CHECK(names.contains(host));
  }
  for (const std::string_view host :
       {"10.0.0.5", "tunnel", "tunnel:8000", "box.example:80", "[::2]:8000", "::1:8000"}) {
    CAPTURE(host);
    CHECK_FALSE(names.contains(host));
  }
  CHECK(HostNames(80, false, {}, {}).contains("localhost"));
  CHECK(HostNames(443, true, {}, {}).contains("localhost"));
  CHECK_FALSE(HostNames(443, false, {}, {}).contains("localhost"));
}

TEST_CASE("response heads: every response has the headers that protect the page", "[server]") {
  const auto head = written({.status = 404, .length = 0, .policy = "default-src 'none'", .keeps_connection = false});
  CHECK(head.starts_with("HTTP/1.1 404 Not Found\r\n"));
  for (const std::string line : {"Content-Security-Policy: default-src 'none'", "X-Content-Type-Options: nosniff",
                                 "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin",
                                 "Cache-Control: no-store", "Content-Length: 0", "Connection: close"}) {
    CAPTURE(line);
    CHECK(head.find("\r\n" + line + "\r\n") != std::string::npos);
  }
  CHECK(head.ends_with("\r\n\r\n"));
  CHECK(head.find("Content-Type: ") == std::string::npos);
}

TEST_CASE("response heads: every refusal has a status of its kind", "[server]") {
  for (int why = 0; why < static_cast<int>(Refusal::count_of_reasons); ++why) {
    const auto status = status_of(static_cast<Refusal>(why));
    CHECK(status >= 400);
    CHECK(written({.status = status, .policy = "p"}).starts_with(fmt::format("HTTP/1.1 {} ", status)));
  }
}
