// Live programs under the contract of every source: nothing to see, one event, busy pipes and threads, an overload.
#include <sys/wait.h>

#include "backends/linux/program/launch.hpp"
#include "backends/linux/supervisor/linux_source.hpp"
#include "tests/contract/source_contract.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"

using namespace dpm;

namespace {

// A program of this machine, as our child: it begins when the source runs.
class Program : public EventSource {
 public:
  Program(std::string script, MeterOptions options) : script_(std::move(script)), options_(std::move(options)) {}

  Result<void> run(EventSink& sink) override {
    auto launched = launch_as_child({"sh", "-c", script_}, {});
    if (!launched) return launched.error();
    const pid_t pid = static_cast<pid_t>(launched->program().pid);
    LinuxSource source(std::move(launched->program()), options_, [&launched] { launched->start(); });
    auto done = source.run(sink);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return done;
  }

 private:
  std::string script_;
  MeterOptions options_;
};

SourceFactory running(const std::string& script, const MeterOptions& options = {}) {
  return [=] { return std::make_unique<Program>(script, options); };
}

Recording recorded(const std::string& script, const MeterOptions& options = {}) {
  Program program(script, options);
  auto recording = record(program);
  REQUIRE(recording.has_value());
  return std::move(recording).value();
}

constexpr SourcePromises kReal = {.same_bytes_again = false};  // a real program never runs twice the same

MeterFlags only(const char* flags) { return apply_flags(MeterFlags{}, flags).value(); }

}  // namespace

TEST_CASE("linux contract: a program that exchanges nothing", "[contract][linux]") {
  const MeterOptions messages{.flags = only("send,receive")};
  CHECK(check_source_contract(running(":", messages), kReal) == std::vector<std::string>{});
  CHECK(recorded(":", messages).events.empty());
}

TEST_CASE("linux contract: one event", "[contract][linux]") {
  const MeterOptions sends{.flags = only("send")};
  const char* script = "printf x | { read -r line; true; }";
  CHECK(check_source_contract(running(script, sends), kReal) == std::vector<std::string>{});
  const Recording recording = recorded(script, sends);
  REQUIRE(recording.events.size() == 1);
  CHECK(recording.events.front().length_bytes == 1);
}

TEST_CASE("linux contract: pipes between many processes", "[contract][linux]") {
  const char* script = "for i in 1 2 3 4; do seq 1 3000 | sort -rn | tail -1 >/dev/null & done; wait";
  CHECK(check_source_contract(running(script), kReal) == std::vector<std::string>{});
  CHECK(recorded(script).events.size() > 100);
}

TEST_CASE("linux contract: what cannot be recorded in time is counted", "[contract][linux]") {
  const MeterOptions hasty{.waiting_records_max = 1, .patience = Duration{0}};
  const char* script = "seq 1 200000 | cat | tail -1 >/dev/null";
  CHECK(check_source_contract(running(script, hasty), kReal) == std::vector<std::string>{});
}
