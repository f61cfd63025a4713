// What a daemon does with its managed processes, with agents and controllers that a test plays.
#include "control/daemon/managed_processes.hpp"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <set>
#include <vector>

#include "control/agents/agent_service.hpp"
#include "control/messages/message_stream.hpp"
#include "os/net/asio.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using namespace control;
using namespace std::chrono_literals;

constexpr std::uint32_t kPid = 7;

// Answers every request with Done and notes it.
struct Agent {
  Agent(asio::io_context& context, UniqueFd socket)
      : stream(context, std::move(socket),
               {[this](ControlMessage message) {
                  const auto& request = std::get<Request>(message);
                  if (const auto* hello = std::get_if<Hello>(&request.body)) listeners.push_back(hello->controller);
                  if (std::holds_alternative<StopProcess>(request.body)) ++stops;
                  (void)stream.send(Reply{request.number, Done{}});
                },
                [](const std::string&, bool) {},
                {}}) {}
  std::vector<std::string> listeners;  // from each Hello
  int stops = 0;
  MessageStream stream;
};

struct Fixture {
  Fixture()
      : processes(context, 86'400s,
                  {[this](const std::string& name) { return connected.contains(name); },
                   [this](const std::string& name, ReportBody body) {
                     reports.emplace_back(name, std::move(body));
                     return true;
                   },
                   [] {}}) {
    std::array<int, 2> ends = {};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    agent.emplace(context, UniqueFd(ends[0]));
    ManagedProcess facts;
    facts.pid = kPid;
    facts.controller = "owner";
    facts.state = ProcessState::running;
    processes.add(facts, processes.connect(UniqueFd(ends[1])), kNoListener);
  }

  template <typename Condition>
  void run_until(Condition is_met) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (!is_met() && std::chrono::steady_clock::now() < until) context.run_one_until(until);
    REQUIRE(is_met());
  }
  std::string refusal_of(const std::string& controller, RequestBody request) {
    std::optional<ReplyBody> reply;
    processes.pass_on(controller, kPid, std::move(request), [&](ReplyBody body) { reply = std::move(body); });
    run_until([&] { return reply.has_value(); });
    const auto* refused = std::get_if<Refused>(&*reply);
    return refused != nullptr ? refused->why : "";
  }
  std::string adopted_by(const std::string& controller) {
    std::string why;
    processes.adopt(controller, kPid, [&](const ReplyBody& body) {
      if (const auto* refused = std::get_if<Refused>(&body)) why = refused->why;
    });
    return why;
  }

  asio::io_context context;
  std::set<std::string> connected;
  std::vector<std::pair<std::string, ReportBody>> reports;
  ManagedProcesses processes;
  std::optional<Agent> agent;
};

TEST_CASE("managed processes: only the owner's requests reach the agent", "[daemon]") {
  Fixture at;
  at.connected = {"owner", "other"};
  CHECK(at.refusal_of("other", StopProcess{kPid}) == "process 7 belongs to the controller owner, which is connected");
  CHECK(at.agent->stops == 0);
  CHECK(at.refusal_of("owner", StopProcess{kPid}).empty());
  CHECK(at.agent->stops == 1);
  at.connected = {"other"};
  CHECK(at.refusal_of("other", StopProcess{kPid}) ==
        "process 7 belongs to the controller owner, which is not connected: adopt it first");
}

TEST_CASE("managed processes: a process can be adopted while its owner is not connected", "[daemon]") {
  Fixture at;
  at.connected = {"owner", "other"};
  CHECK(at.adopted_by("other") == "process 7 belongs to the controller owner, which is connected");
  at.connected = {"other"};
  CHECK(at.adopted_by("other").empty());
  at.run_until([&] { return at.agent->listeners == std::vector<std::string>{"other"}; });
  CHECK(at.refusal_of("other", StopProcess{kPid}).empty());
}

TEST_CASE("managed processes: output without a listener is held, and reported to the next one", "[daemon]") {
  Fixture at;
  (void)at.agent->stream.send(Report{Output{kPid, false, "text", 0}});
  (void)at.agent->stream.send(Report{StateChanged{kPid, ProcessState::stopped, ""}});
  at.run_until([&] { return at.processes.find(kPid)->state == ProcessState::stopped; });
  at.reports.clear();
  at.connected = {"owner"};
  at.processes.set_connected("owner", true);
  REQUIRE(at.reports.size() == 1);
  CHECK(at.reports[0].first == "owner");
  CHECK(std::get<Output>(at.reports[0].second).bytes == "text");
}

TEST_CASE("managed processes: when an agent is killed and the program has ended, its state says so", "[daemon]") {
  Fixture at;
  at.connected = {"owner"};
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t ended = {};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED) == 0);
  std::array<int, 2> ends = {};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  UniqueFd agent(ends[0]);
  ManagedProcess facts;
  facts.pid = static_cast<std::uint32_t>(child);
  facts.controller = "owner";
  at.processes.add(facts, at.processes.connect(UniqueFd(ends[1])), "owner");
  agent.reset();
  at.run_until([&] { return at.processes.find(facts.pid)->state == ProcessState::killed; });
  CHECK(at.processes.find(facts.pid)->reason == "ended, for an unknown reason: its supervisor had been killed");
}

TEST_CASE("managed processes: what a removed process still delivers is reported until its agent ends", "[daemon]") {
  Fixture at;
  at.connected = {"owner"};
  CHECK(at.refusal_of("owner", Release{kPid}).empty());
  CHECK(at.processes.size() == 0);
  const DeliveryChanged changed{kPid, "job", "program", "f1", {"no answer", 12, 0, ""}};
  REQUIRE(at.agent->stream.send(Report{changed}));
  at.run_until([&] { return !at.reports.empty(); });
  REQUIRE(at.reports.size() == 1);
  CHECK(at.reports[0].first == "owner");
  CHECK(std::get<DeliveryChanged>(at.reports[0].second).delivery.waiting == 12);
  at.agent.reset();
  at.context.poll();
  CHECK(at.reports.size() == 1);
}

}  // namespace
}  // namespace dpm
