// The controller's memory and patience with machines that send more than they should.
#include "control/client/connections.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

namespace dpm::control {
namespace {

std::size_t memory_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t whole = 0, resident = 0;
  file >> whole >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// The process needs at most this much more memory than `before`.
void check_memory(std::size_t before, std::size_t more_bytes) {
  if (test::kUnderSanitizer)
    std::puts("REDUCED: a sanitizer keeps memory that was freed: how much the controller needs is not looked at");
  else
    CHECK(memory_bytes() < before + more_bytes);
}

struct Fixture {
  Fixture()
      : interruption(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        connections({.kind = Launcher::Kind::local, .dpm = HOSTILE_METERD}, "tester", interruption.get()) {
    connections.on_overflow([this](const std::vector<MachineReport>& output) {
      for (const auto& report : output) overflow_bytes += std::get<Output>(report.what).bytes.size();
    });
  }

  void interrupt() const {
    const std::uint64_t one = 1;
    REQUIRE(::write(interruption.get(), &one, sizeof one) == sizeof one);
  }
  Answer ask(const std::string& machine, RequestBody body = FindFile{"file"}) {
    return connections.ask({{machine, std::move(body)}}).at(0);
  }
  // Bytes of output in the queue.
  std::size_t queued() {
    std::size_t bytes = 0;
    for (const auto& report : connections.take_reports())
      if (const auto* output = std::get_if<Output>(&report.what)) bytes += output->bytes.size();
    return bytes;
  }

  UniqueFd interruption;
  Connections connections;
  std::size_t overflow_bytes = 0;
};

TEST_CASE("connections: output that comes before an answer is not kept, and none of it is lost", "[daemon]") {
  Fixture it;
  const std::size_t before = memory_bytes();
  CHECK(it.ask("much"));
  constexpr std::size_t kMuchBytes = 64 * 1024 * 1024;
  CHECK(it.overflow_bytes > kMuchBytes / 2);
  CHECK(it.overflow_bytes + it.queued() == kMuchBytes);
  check_memory(before, kMuchBytes / 4);
}

TEST_CASE("connections: control-C ends a question to a machine that prints without end", "[daemon]") {
  Fixture it;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    it.interrupt();
  });
  const std::size_t before = memory_bytes();
  const auto answer = it.ask("endless");
  user.join();
  REQUIRE_FALSE(answer);
  CHECK(answer.error().what == "machine endless: interrupted before it answered");
  check_memory(before, 16 * 1024 * 1024);
  // The interruption belongs to the command, which asks nothing more.
  CHECK(it.connections.is_interrupted());
  CHECK_FALSE(it.ask("other", ListManaged{}));
  CHECK(it.connections.take_interruption());
  CHECK(it.ask("other", ListManaged{}));
}

TEST_CASE("connections: what the user does comes before what machines report", "[daemon]") {
  Fixture it;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    it.interrupt();
  });
  (void)it.ask("endless");
  user.join();
  CHECK(it.connections.take_interruption());
  const UniqueFd input(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  using Woken = Connections::Woken;
  for (int i = 0; i < 100; ++i) {
    REQUIRE(it.connections.wait_for_input(input.get(), std::chrono::seconds(60)) == Woken::reported);
    if (i % 2 == 0) (void)it.connections.take_reports();
  }
  const std::uint64_t one = 1;
  REQUIRE(::write(input.get(), &one, sizeof one) == sizeof one);
  CHECK(it.connections.wait_for_input(input.get(), std::chrono::seconds(60)) == Woken::input);
  it.interrupt();
  CHECK(it.connections.wait_for_input(input.get(), std::chrono::seconds(60)) == Woken::interrupted);
}

TEST_CASE("connections: a machine that reports states without end is dropped", "[daemon]") {
  Fixture it;
  const std::size_t before = memory_bytes();
  const auto answer = it.ask("states");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().what == "the connection to states failed: it sent more reports than it can have");
  check_memory(before, 3 * Connections::kStatesBytesMax);
}

TEST_CASE("connections: what a machine does not take is bounded too", "[daemon]") {
  Fixture it;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    it.interrupt();
  });
  std::vector<Question> questions = {{"silent", FindFile{"file"}}};
  constexpr std::size_t kCount = 100;
  for (std::size_t i = 0; i < kCount; ++i)
    questions.push_back({"silent", PutFile{.path = "file", .bytes = std::string(kChunkBytesMax, 'x')}});
  (void)it.ask("silent", ListManaged{});  // the connection is open
  const auto answers = it.connections.ask(std::move(questions));
  user.join();
  CHECK(answers.front().error().what == "machine silent: interrupted before it answered");
  REQUIRE_FALSE(answers.back());
  CHECK(answers.back().error().what.find("does not read") != std::string::npos);
}

using Names = std::vector<std::string>;

TEST_CASE("connections: a machine is known by the first of its names, over one connection", "[daemon]") {
  Fixture it;
  CHECK(it.connections.known_as({"red", "other"}) == Names{"red", "other"});
  CHECK(it.connections.known_as({"red.lan"}) == Names{"red"});
  CHECK(it.ask("red.lan"));
  CHECK(it.ask("red"));
  int found = 0;
  for (const auto& report : it.connections.take_reports()) {
    CHECK_FALSE(std::holds_alternative<MachineLost>(report.what));
    if (report.machine == "red") found += std::holds_alternative<MachineFound>(report.what) ? 1 : 0;
    CHECK(report.machine != "red.lan");
  }
  CHECK(found == 1);
}

TEST_CASE("connections: a machine that was lost is found again by another of its names", "[daemon]") {
  Fixture it;
  CHECK(it.connections.known_as({"red-ends"}) == Names{"red-ends"});
  CHECK_FALSE(it.ask("red-ends"));
  (void)it.connections.take_reports();
  CHECK(it.connections.known_as({"red.lan"}) == Names{"red-ends"});
  CHECK(it.ask("red-ends", ListManaged{}));
  const auto reports = it.connections.take_reports();
  REQUIRE(reports.size() == 1);
  CHECK(reports.front().machine == "red-ends");
  CHECK(std::holds_alternative<MachineFound>(reports.front().what));
}

}  // namespace
}  // namespace dpm::control
