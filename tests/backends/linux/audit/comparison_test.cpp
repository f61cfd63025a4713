#include "backends/linux/audit/comparison.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace dpm::audit {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

Process process(std::uint32_t pid, std::map<Way, Objects> moved, std::uint64_t began_ns = kSecond) {
  Process made;
  made.pid = pid;
  made.began_ns = began_ns;
  made.name = "program";
  made.cpu_ns = kSecond;
  made.moved = std::move(moved);
  return made;
}

constexpr Way kPipeSent = {Carrier::pipe, Direction::sent}, kUdpReceived = {Carrier::udp, Direction::received},
              kTcpSent = {Carrier::tcp, Direction::sent}, kTcpReceived = {Carrier::tcp, Direction::received};

Comparison of(const std::vector<Process>& kernel, const std::vector<Process>& trace) {
  return compare({kernel, {}}, trace, {});
}

struct Case {
  const char* title;
  Way way;
  Moved kernel, trace;
  Verdict verdict;
};

}  // namespace

TEST_CASE("audit: what is moved is equal, or differs", "[linux]") {
  const std::vector<Case> cases = {
      {"the same bytes", kPipeSent, {100, 2}, {100, 2}, Verdict::equal},
      {"a stream in other pieces", kPipeSent, {100, 2}, {100, 5}, Verdict::equal},
      {"bytes are missing", kPipeSent, {100, 2}, {60, 1}, Verdict::differs},
      {"bytes are too many", kPipeSent, {100, 2}, {101, 2}, Verdict::differs},
      {"the trace has nothing", kPipeSent, {100, 2}, {}, Verdict::differs},
      {"the kernel has nothing", kPipeSent, {}, {100, 2}, Verdict::differs},
      {"a GAP tells the rest", kPipeSent, {100, 2}, {60, 1, 0, 40}, Verdict::equal},
      {"a GAP that is too short", kPipeSent, {100, 2}, {60, 1, 0, 39}, Verdict::differs},
      {"the same datagrams", kUdpReceived, {100, 2}, {100, 2}, Verdict::equal},
      {"datagrams in another number", kUdpReceived, {100, 2}, {100, 3}, Verdict::differs},
      {"a datagram of no bytes is missing", kUdpReceived, {0, 1}, {}, Verdict::differs},
      {"a datagram that was cut, by its whole length", kUdpReceived, {60, 2, 1}, {100, 2}, Verdict::equal},
      {"a datagram that was cut, and one that is missing", kUdpReceived, {60, 2, 1}, {100, 1}, Verdict::differs},
      {"units of an eventfd", {Carrier::eventfd, Direction::sent}, {7, 1}, {6, 1}, Verdict::differs},
      {"sockets that no source records", {Carrier::other, Direction::sent}, {20, 1}, {}, Verdict::not_compared},
  };
  for (const Case& one : cases) {
    CAPTURE(one.title);
    const Comparison found =
        of({process(7, {{one.way, {{"object", one.kernel}}}})}, {process(7, {{one.way, {{"object", one.trace}}}})});
    REQUIRE(found.moved.size() == 1);
    CHECK(found.moved.front().verdict == one.verdict);
    CHECK(found.moved.front().objects.size() == (one.verdict == Verdict::differs ? 1 : 0));
  }
}

TEST_CASE("audit: a difference is named by process and by object", "[linux]") {
  const Objects kernel = {{"pipe:[1]", {10, 1}}, {"pipe:[2]", {20, 2}}},
                trace = {{"pipe:[1]", {10, 1}}, {"pipe:[2]", {5, 1}}};
  const Comparison found = of({process(7, {{kPipeSent, kernel}}), process(8, {})}, {process(7, {{kPipeSent, trace}})});
  REQUIRE(found.moved.size() == 1);
  CHECK(found.moved.front().pid == 7);
  REQUIRE(found.moved.front().objects.size() == 1);
  CHECK(found.moved.front().objects.front().name == "pipe:[2]");
  CHECK(found.moved.front().objects.front().kernel.bytes == 20);
  CHECK(found.moved.front().objects.front().trace.bytes == 5);
}

TEST_CASE("audit: a number that is used again is two processes", "[linux]") {
  const auto sends = [](std::uint64_t bytes) { return std::map<Way, Objects>{{kPipeSent, {{"object", {bytes, 1}}}}}; };
  const std::vector<Process> kernel = {process(7, sends(10), kSecond), process(7, sends(20), 9 * kSecond)};
  // /proc has times to 10 ms.
  const Comparison same =
      of(kernel, {process(7, sends(10), kSecond - 4'000'000), process(7, sends(20), 9 * kSecond - 9'000'000)});
  CHECK(same.count(Verdict::differs) == 0);
  const Comparison exchanged = of(kernel, {process(7, sends(20), kSecond), process(7, sends(10), 9 * kSecond)});
  CHECK(exchanged.count(Verdict::differs) == 2);
}

TEST_CASE("audit: a process of the trace that the kernel has not differs", "[linux]") {
  const Comparison found = of({}, {process(7, {{kPipeSent, {{"object", {10, 1}}}}})});
  CHECK(found.count(Verdict::differs) == 1);
}

TEST_CASE("audit: two processes of the trace are one of the kernel's, when a later thread executes a program",
          "[linux]") {
  const std::map<Way, Objects> half = {{kPipeSent, {{"object", {10, 1}}}}},
                               whole = {{kPipeSent, {{"object", {20, 2}}}}};
  CHECK(of({process(7, whole)}, {process(7, half), process(7, half)}).moved.front().verdict == Verdict::equal);
}

TEST_CASE("audit: CPU time within 1 % or 2 ms is the same", "[linux]") {
  CHECK(is_same_cpu_time(0, 2'000'000));
  CHECK_FALSE(is_same_cpu_time(0, 2'000'001));
  CHECK(is_same_cpu_time(990'000'000, kSecond));
  CHECK_FALSE(is_same_cpu_time(989'999'999, kSecond));
  CHECK_FALSE(is_same_cpu_time(1'011'000'000, kSecond));
}

TEST_CASE("audit: CPU time from which notification is subtracted is compared only where it is more", "[linux]") {
  std::vector<Process> kernel = {process(7, {})}, trace = {process(7, {})};
  trace.front().cpu_ns = kSecond / 2;
  CHECK(compare({kernel, {}}, trace, {true}).cpu.front().verdict == Verdict::not_compared);
  CHECK(compare({kernel, {}}, trace, {false}).cpu.front().verdict == Verdict::differs);
  trace.front().cpu_ns = 2 * kSecond;
  CHECK(compare({kernel, {}}, trace, {true}).cpu.front().verdict == Verdict::differs);
}

TEST_CASE("audit: the ends of connections, of all processes together", "[linux]") {
  const std::string name = "127.0.0.1:80 > 127.0.0.1:5000";
  const std::vector<Process> trace = {process(7, {{kTcpSent, {{name, {60, 1}}}}}),
                                      process(8, {{kTcpSent, {{name, {40, 1}}}}, {kTcpReceived, {{name, {10, 1}}}}})};
  const auto verdicts = [&](const Connection& counted) {
    const Comparison found = compare({std::nullopt, {{name, counted}}}, trace, {});
    REQUIRE(found.connections.size() == 2);
    return std::pair(found.connections[0].verdict, found.connections[1].verdict);
  };
  const auto both_equal = std::pair(Verdict::equal, Verdict::equal);
  CHECK(verdicts({100, 102, 11, 1}) == both_equal);
  CHECK(verdicts({100, 100, 10, 1}) == both_equal);
  // Lower layers may send a byte twice; then the acknowledged ones decide.
  CHECK(verdicts({160, 101, 10, 1}) == both_equal);
  CHECK(verdicts({103, 103, 10, 1}) == std::pair(Verdict::differs, Verdict::equal));
  CHECK(verdicts({100, 102, 9, 1}) == std::pair(Verdict::equal, Verdict::differs));
  CHECK(verdicts({100, 102, 12, 1}) == std::pair(Verdict::equal, Verdict::differs));
  CHECK(verdicts({100, 102, 12, 2}) == both_equal);
  const Comparison unknown = compare({std::nullopt, {}}, trace, {});
  CHECK(unknown.count(Verdict::not_compared) == 2);
}

}  // namespace dpm::audit
