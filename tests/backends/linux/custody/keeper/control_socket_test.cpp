#include "backends/linux/custody/keeper/control_socket.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <thread>

#include "backends/linux/custody/keeper/keeper.hpp"
#include "tests/backends/linux/custody/keeper/test_processes.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using Start = SmallMeter::Start;

namespace {

MeterFlags flags_of(std::string_view list) { return *apply_flags(MeterFlags(), list); }

// A meter's state without a meter.
struct Metering {
  MeterStatus status{100, "redis-server --port 0", flags_of("send,receive"), 2344, 2, 1790000000, "/tmp/an out"};
  std::vector<std::uint32_t> processes = {100, 104};
  bool stopped = false;
  MeterChange change;
  MeterControl control() {
    return {[this] { return status; }, [this](MeterFlags flags) { status.flags = flags; }, [this] { return processes; },
            [this] { stopped = true; },
            [this](MeterChange asked) {
              change = std::move(asked);
              return Result<void>();
            }};
  }
};

UniqueFd connect_to(const ControlServer&) {
  const auto folder = SocketFolder::own();
  return folder->connect("meter-" + std::to_string(::getpid()), SOCK_STREAM);
}

bool say(const UniqueFd& connection, const std::string& text) {
  return ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

// What the server has said by the time it has nothing left to do; "closed" if it has hung up.
std::string hear(ControlServer& server, const UniqueFd& connection) {
  pollfd item{server.fd(), POLLIN, 0};
  while (::poll(&item, 1, 0) == 1) server.handle();
  std::string text(8192, '\0');
  const ssize_t length = ::recv(connection.get(), text.data(), text.size(), MSG_DONTWAIT);
  if (length == 0 || (length < 0 && errno == ECONNRESET)) return "closed";
  text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return text;
}

}  // namespace

TEST_CASE("control: a request is answered by one line", "[keeper]") {
  Metering metering;
  const MeterControl control = metering.control();
  CHECK(answer_request("status", control) ==
        "ok pid=100 events=2344 lost=2 since=1790000000 "
        "flags=send,receive output=/tmp/an%20out command=redis-server --port 0");
  CHECK(answer_request("processes", control) == "ok 100 104");
  CHECK(answer_request("flags createpath,-send", control) == "ok receive,createpath");
  CHECK(metering.status.flags == flags_of("receive,createpath"));
  const std::string refused = answer_request("flags recieve", control);
  CHECK(refused.starts_with("error "));
  CHECK(refused.find("receive") != std::string::npos);
  CHECK(metering.status.flags == flags_of("receive,createpath"));
  CHECK(answer_request("end", control) ==
        "error a meter understands 'status', 'processes', 'stop', 'flags LIST' and 'setmeter', not 'end'");
  CHECK_FALSE(metering.stopped);
  CHECK(answer_request("stop", control) == "ok stopping");
  CHECK(metering.stopped);
  CHECK(answer_request("", control).starts_with("error "));
  CHECK(answer_request("flags", control).starts_with("error "));
  metering.status.command =
      "printf 'a\nb\x7f"
      "'";
  CHECK(answer_request("status", control) ==
        "ok pid=100 events=2344 lost=2 since=1790000000 "
        "flags=receive,createpath output=/tmp/an%20out command=printf 'a b '");
}

TEST_CASE("control: setmeter names all flags of one process, and takes only stream sockets", "[keeper]") {
  using Connection = MeterChange::Connection;
  Metering metering;
  const MeterControl control = metering.control();
  CHECK(answer_request("setmeter 104 send,immediate keep", control) == "ok set");
  CHECK(metering.change.pid == 104);
  CHECK(metering.change.flags == flags_of("send,immediate"));
  CHECK(metering.change.connection == Connection::keep);
  CHECK(answer_request("setmeter 100 none none", control) == "ok set");
  CHECK(metering.change.flags == MeterFlags());
  CHECK(metering.change.connection == Connection::none);
  CHECK(answer_request("setmeter 100 keep trace", control) == "ok set");
  CHECK_FALSE(metering.change.flags);
  CHECK(answer_request("setmeter 7 keep none", control) == "error process 7 is not metered here");
  CHECK(answer_request("setmeter 100 sned none", control).find("did you mean 'send'") != std::string::npos);
  CHECK(answer_request("setmeter 100 keep other", control) == "error setmeter: no connection 'other'");
  CHECK(answer_request("setmeter 100 keep", control).starts_with("error setmeter: a process"));
  const std::string refused = "error setmeter: a meter connection is a stream socket";
  CHECK(answer_request("setmeter 100 keep given", control) == refused);
  CHECK(answer_request("setmeter 100 keep given", control, UniqueFd(::socket(AF_UNIX, SOCK_DGRAM, 0))) == refused);
  CHECK(answer_request("setmeter 100 keep given", control, UniqueFd(::socket(AF_INET, SOCK_STREAM, 0))) == "ok set");
  CHECK(metering.change.given);
}

TEST_CASE("control: lines may come in pieces or many at a time", "[keeper]") {
  const PrivateRuntime runtime;
  Metering metering;
  auto server = ControlServer::open(metering.control());
  REQUIRE(server);
  const UniqueFd connection = connect_to(*server);
  REQUIRE(connection);
  REQUIRE(say(connection, "fla"));
  CHECK(hear(*server, connection) == "");
  REQUIRE(say(connection, "gs -send\nstatus\nfl"));
  CHECK(hear(*server, connection) ==
        "ok receive\nok pid=100 events=2344 lost=2 since=1790000000 flags=receive output=/tmp/an%20out "
        "command=redis-server --port 0\n");
  REQUIRE(say(connection, "ags send\n"));
  CHECK(hear(*server, connection) == "ok send,receive\n");
}

TEST_CASE("control: a client that sends anything but a line of text is dropped, others are served", "[keeper]") {
  const PrivateRuntime runtime;
  Metering metering;
  auto server = ControlServer::open(metering.control());
  REQUIRE(server);
  const UniqueFd good = connect_to(*server);
  const auto dropped_after = [&](const std::string& text) {
    const UniqueFd bad = connect_to(*server);
    REQUIRE(say(bad, text));
    return hear(*server, bad) == "closed";
  };
  CHECK(dropped_after(std::string("status\0\n", 8)));
  CHECK(dropped_after("status\r\n"));
  CHECK(dropped_after("\x1b[2J"));
  CHECK(dropped_after(std::string(ControlServer::kLineMax + 1, 'a')));
  CHECK(dropped_after(std::string(ControlServer::kLineMax + 1, 'a') + "\n"));
  CHECK(!dropped_after(std::string(ControlServer::kLineMax, 'a') + "\n"));
  std::minstd_rand random(3);
  for (int i = 0; i < 200; ++i) {
    std::string garbage(1 + random() % 300, ' ');
    for (char& byte : garbage) byte = static_cast<char>(random());
    garbage[0] = '\x01';
    CHECK(dropped_after(garbage));
  }
  REQUIRE(say(good, "status\n"));
  CHECK(hear(*server, good).starts_with("ok pid=100"));
}

TEST_CASE("control: a client that does not read its answers, or only connects, keeps no other waiting", "[keeper]") {
  const PrivateRuntime runtime;
  Metering metering;
  auto server = ControlServer::open(metering.control());
  REQUIRE(server);
  const UniqueFd deaf = connect_to(*server);
  std::string many;
  for (int i = 0; i < 500; ++i) many += "status\n";
  std::string heard;
  for (int i = 0; i < 200 && heard != "closed"; ++i) {
    if (!say(deaf, many)) break;
    pollfd item{server->fd(), POLLIN, 0};
    while (::poll(&item, 1, 0) == 1) server->handle();
  }
  CHECK(!say(deaf, "status\n"));  // it was dropped when its answers found no room
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(connect_to(*server));
    REQUIRE(silent.back());
    CHECK(hear(*server, silent.back()) == "");
  }
  const UniqueFd good = connect_to(*server);
  REQUIRE(say(good, "status\n"));
  CHECK(hear(*server, good).starts_with("ok pid=100"));
}

TEST_CASE("ask_meter: reaches the meter of a program, by any of its processes, and says why it cannot", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 0));
  Metering metering;
  metering.status.pid = program.pid();
  auto slots = NotificationSlots::create();
  REQUIRE(slots);
  MeteredProgram metered{.pid = program.pid(),
                         .command = "ping pong",
                         .from_start = true,
                         .privileges_given_up = true,
                         .listener = program.borrow_listener(),
                         .slots = *std::move(slots)};
  REQUIRE(start_keeper(metered));
  {
    auto server = ControlServer::open(metering.control());
    REQUIRE(server);
    const auto ask = [&](const std::string& request) {
      Result<std::string> answer = Error{"not asked"};
      std::atomic<bool> asked{false};
      std::thread asking([&] {
        answer = ask_meter(program.pid(), request);
        asked = true;
      });
      pollfd item{server->fd(), POLLIN, 0};
      while (!asked) {
        if (::poll(&item, 1, 1) == 1) server->handle();
      }
      asking.join();
      return answer ? "ok: " + *answer : "error: " + answer.error().what;
    };
    CHECK(ask("flags -send") == "ok: receive");
    CHECK(ask("status").starts_with("ok: pid=" + std::to_string(program.pid()) + " events=2344 lost=2 "));
    CHECK(ask("processes") == "ok: 100 104");
    CHECK(ask("flags nonsense").starts_with("error: "));
    CHECK(ask("status\nstatus").find("a request is one line") != std::string::npos);
  }
  const auto unreachable = ask_meter(program.pid(), "status");
  REQUIRE(!unreachable);
  CHECK(unreachable.error().what == "ask the meter of " + std::to_string(program.pid()) + " (ping pong), process " +
                                        std::to_string(::getpid()) + ": it cannot be reached");
  REQUIRE(leave_to_keeper(metered));
  const auto unmetered = ask_meter(program.pid(), "status");
  REQUIRE(!unmetered);
  CHECK(unmetered.error().what.find("is not metered at the moment") != std::string::npos);
  const auto stranger = ask_meter(static_cast<std::uint32_t>(::getppid()), "status");
  REQUIRE(!stranger);
  CHECK(stranger.error().what.find("belongs to no metered program") != std::string::npos);
}
