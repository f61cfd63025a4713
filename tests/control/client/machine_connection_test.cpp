// The controller's end of a connection, with a real daemon and with other commands in its place.
#include "control/client/machine_connection.hpp"

#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "os/net/asio.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using namespace control;

struct Scratch {
  Scratch() {
    path = (std::filesystem::temp_directory_path() / "dpm-XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    for (const char* name : {"XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"}) ::setenv(name, path.c_str(), 1);
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  std::string path;
};

// A connection, and what it says while it is waited for.
struct Red {
  explicit Red(const std::vector<std::string>& command, Duration patience = Duration::from_seconds(30))
      : connection(std::make_unique<MachineConnection>(context, command, "red", "tester", handlers(), patience)) {}
  ~Red() {
    connection.reset();
    context.run();  // until its launcher has ended
  }

  MachineConnection::Handlers handlers() {
    return {[this](const Welcome& said) { welcome = said; }, [](const ReportBody&) {},
            [this](const std::string& why, bool) { end = why; }};
  }
  template <typename Condition>
  void run_until(Condition is_met) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!is_met() && std::chrono::steady_clock::now() < until) context.run_one_until(until);
    REQUIRE(is_met());
  }
  // "connected", or why not.
  std::string outcome() {
    run_until([&] { return welcome || !end.empty(); });
    return welcome ? "connected" : end;
  }
  RequestLink::Answer into(std::vector<Result<ReplyBody>>& replies) {
    return [&replies](Result<ReplyBody> reply) { replies.push_back(std::move(reply)); };
  }

  asio::io_context context;
  std::optional<Welcome> welcome;
  std::string end;
  std::unique_ptr<MachineConnection> connection;
};

std::vector<std::string> attach_command() {
  return {DPM_PROGRAM, "meterd", "--attach", "--machine", "red", "--idle", "1"};
}

TEST_CASE("machine connection: asks a daemon, several things at a time", "[daemon]") {
  const Scratch scratch;
  std::vector<Result<ReplyBody>> replies;
  Red red(attach_command());
  for (int i = 0; i < 25; ++i) red.connection->ask(FindFile{DPM_PROGRAM}, red.into(replies));  // it is not open yet
  REQUIRE(red.outcome() == "connected");
  CHECK(red.welcome->machine == "red");
  CHECK(red.welcome->managed.empty());
  for (int i = 0; i < 25; ++i) red.connection->ask(FindFile{DPM_PROGRAM}, red.into(replies));
  red.run_until([&] { return replies.size() == 50; });
  for (const auto& reply : replies) {
    REQUIRE(reply);
    CHECK(std::get<FileFound>(*reply).exists);
    CHECK(std::get<FileFound>(*reply).sha256.size() == 64);
  }
  replies.clear();
  red.connection->ask(StartProcess{1}, red.into(replies));
  red.run_until([&] { return replies.size() == 1; });
  CHECK(std::holds_alternative<Refused>(replies.front().value()));
  red.connection->ask(StartProcess{0}, red.into(replies));  // no message that can be sent
  REQUIRE(replies.size() == 2);
  CHECK_FALSE(replies.back());
}

TEST_CASE("machine connection: says why a machine cannot be reached", "[daemon]") {
  CHECK(Red({"/no/such/launcher"}).outcome() == "start '/no/such/launcher': No such file or directory");
  CHECK(Red({"sh", "-c", "echo 'no route to red' >&2; exit 255"}).outcome() ==
        "the connection to red has ended: no route to red");
  CHECK(Red({"sh", "-c", "echo 'Welcome to this machine'; sleep 0.1; cat >/dev/null"}).outcome().find("failed: ") !=
        std::string::npos);
  std::vector<Result<ReplyBody>> replies;
  Red silent({"sleep", "1000"}, Duration::from_seconds(1));
  silent.connection->ask(ListManaged{}, silent.into(replies));
  CHECK(silent.outcome() == "reach red: no answer within 1 s");
  REQUIRE(replies.size() == 1);
  CHECK(replies.front().error().what == "reach red: no answer within 1 s");
}

TEST_CASE("machine connection: its end is told, and answers everything that was asked", "[daemon]") {
  const Scratch scratch;
  const std::string pid_file = scratch.path + "/pid";
  Red red({"sh", "-c", "echo $$ >\"$0\"; exec \"$1\" meterd --attach --machine red --idle 1", pid_file, DPM_PROGRAM});
  REQUIRE(red.outcome() == "connected");
  std::FILE* file = std::fopen(pid_file.c_str(), "r");
  int pid = 0;
  REQUIRE(std::fscanf(file, "%d", &pid) == 1);
  std::fclose(file);
  std::vector<Result<ReplyBody>> replies;
  ::kill(pid, SIGSTOP);
  red.connection->ask(ListManaged{}, red.into(replies));
  ::kill(pid, SIGKILL);
  red.run_until([&] { return !red.end.empty(); });
  CHECK(red.end == "the connection to red has ended");
  red.connection->ask(ListManaged{}, red.into(replies));
  REQUIRE(replies.size() == 2);
  for (const auto& reply : replies) CHECK(reply.error().what == "the connection to red has ended");
}

}  // namespace
}  // namespace dpm
