// The controller's side of a connection, with a real daemon and with commands that are none.
#include "backends/linux/remote/client/machine_connection.hpp"

#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>

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

// What the connection's thread says, and waiting for it.
struct Heard {
  std::mutex mutex;
  std::condition_variable changed;
  std::string end;
  MachineConnection::Handlers handlers() {
    return {[](const ReportBody&) {},
            [this](const std::string& why) {
              const std::lock_guard lock(mutex);
              end = why;
              changed.notify_all();
            }};
  }
  std::string await_end() {
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, std::chrono::seconds(60), [this] { return !end.empty(); }));
    return end;
  }
};

std::vector<std::string> attach_command() {
  return {DPM_PROGRAM, "meterd", "--attach", "--machine", "red", "--idle", "1"};
}

std::string error_of(const std::vector<std::string>& command) {
  auto connection = MachineConnection::open(command, "red", "tester", {});
  return connection ? "connected" : connection.error().what;
}

TEST_CASE("machine connection: asks a daemon, several things at a time", "[daemon]") {
  const Scratch scratch;
  Heard heard;
  auto connection = MachineConnection::open(attach_command(), "red", "tester", heard.handlers());
  INFO((connection ? "" : connection.error().what));
  REQUIRE(connection);
  CHECK((*connection)->machine() == "red");
  CHECK((*connection)->welcome().machine == "red");
  CHECK((*connection)->welcome().charges.empty());
  std::vector<std::future<MachineConnection::Answer>> answers;
  for (int i = 0; i < 50; ++i) answers.push_back((*connection)->ask(FindFile{DPM_PROGRAM}));
  for (auto& answer : answers) {
    const auto reply = answer.get();
    REQUIRE(reply);
    CHECK(std::get<FileFound>(*reply).exists);
    CHECK(std::get<FileFound>(*reply).sha256.size() == 64);
  }
  CHECK(std::holds_alternative<Refused>((*connection)->ask(StartProcess{1}).get().value()));
  CHECK_FALSE((*connection)->ask(StartProcess{0}).get());  // no message that can be sent
}

TEST_CASE("machine connection: says why a machine cannot be reached", "[daemon]") {
  CHECK(error_of({"/no/such/launcher"}) == "start '/no/such/launcher': No such file or directory");
  CHECK(error_of({"sh", "-c", "echo 'no route to red' >&2; exit 255"}) ==
        "the connection to red has ended: no route to red");
  CHECK(error_of({"sh", "-c", "echo 'Welcome to this machine'; sleep 0.1; cat >/dev/null"}).find("is of no use") !=
        std::string::npos);
  auto silent = MachineConnection::open({"sleep", "1000"}, "red", "tester", {}, Duration::from_seconds(1));
  REQUIRE_FALSE(silent);
  CHECK(silent.error().what == "reach red: no answer within 1 s");
}

TEST_CASE("machine connection: its end is told, and answers everything that was asked", "[daemon]") {
  const Scratch scratch;
  Heard heard;
  const std::string pid_file = scratch.path + "/pid";
  auto connection = MachineConnection::open(
      {"sh", "-c", "echo $$ >" + pid_file + "; exec " + DPM_PROGRAM + " meterd --attach --machine red --idle 1"}, "red",
      "tester", heard.handlers());
  REQUIRE(connection);
  std::FILE* file = std::fopen(pid_file.c_str(), "r");
  int pid = 0;
  REQUIRE(std::fscanf(file, "%d", &pid) == 1);
  std::fclose(file);
  ::kill(pid, SIGKILL);
  CHECK(heard.await_end() == "the connection to red has ended");
  const auto late = (*connection)->ask(ListCharges{}).get();
  REQUIRE_FALSE(late);
  CHECK(late.error().what == "the connection to red has ended");
}

}  // namespace
}  // namespace dpm
