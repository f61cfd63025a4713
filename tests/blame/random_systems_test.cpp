// Blame on random simulated systems, against what their programs wrote down themselves.
//
// Each program prints when it begins and ends to compute, to sleep and to wait. The slow way asks at many instants, one after the
// other: what does the client wait for now, and what does that wait for? While k programs of a machine compute, each has 1/k
// of its CPU.
#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/blame/blame.hpp"
#include "model/random.hpp"
#include "tests/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

struct Server {
  std::string machine;
  std::int64_t compute_us = 0, sleep_us = 0;
  std::vector<std::size_t> asks;  // servers with larger numbers
};

// State changes of one program: "C" computes, "Z" sleeps, "W 3" waits for an answer of 3, "I" for any request, "R 2" has got one of
// 2, "M 2" has sent something to 2, "E" has ended.
struct Change {
  std::int64_t at_ns = 0;
  char state = 'I';
  std::size_t other = 0;
};

class Script {
 public:
  Script(MessageCalls& calls, std::size_t self) : calls_(calls), self_(self) {}

  void note(char state, std::size_t other = 0) {
    calls_.print_line(std::to_string(self_) + " " + std::to_string(calls_.local_time().ns) + " " + state + " " +
                      std::to_string(other));
  }
  void send(std::size_t to) {
    note('M', to);
    calls_.send_message(calls_.link_to(name(to)), testing::message_of(static_cast<std::uint32_t>(self_)));
  }
  void ask(std::size_t to) {
    send(to);
    note('W', to);
    const LinkIndex from = calls_.link_from(name(to));
    calls_.receive_message({&from, 1});
  }
  void work(const Server& server) {
    if (server.sleep_us > 0) {
      note('Z');
      calls_.sleep({server.sleep_us * 1000});
    } else {
      note('C');
      calls_.compute({server.compute_us * 1000});
    }
    for (const std::size_t below : server.asks) ask(below);
  }
  static std::string name(std::size_t number) { return "p" + std::to_string(number); }

 private:
  MessageCalls& calls_;
  std::size_t self_;
};

std::vector<Server> random_servers(Random& random) {
  const std::size_t clients = 2, count = clients + 2 + random.below(5);
  std::vector<Server> servers(count);
  for (std::size_t i = 0; i < count; ++i) {
    servers[i].machine = "m" + std::to_string(random.below(3));
    servers[i].compute_us = 500 + static_cast<std::int64_t>(random.below(8000));
    for (std::size_t below = std::max(i + 1, clients); below < count; ++below)
      if (random.chance(.4)) servers[i].asks.push_back(below);
    if (i < clients && servers[i].asks.empty()) servers[i].asks.push_back(clients);
    if (i >= clients && servers[i].asks.empty() && random.chance(.5))
      servers[i].sleep_us = 1000 + static_cast<std::int64_t>(random.below(20'000));
  }
  return servers;
}

testing::Outcome simulate(const std::vector<Server>& servers) {
  constexpr int kRequests = 60;
  testing::System system;
  system.scenario.delays = testing::constant_delays(.0005, .002);
  for (const char* machine : {"m0", "m1", "m2"}) system.machine(machine);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const Server& server = servers[i];
    std::vector<std::string> links;
    for (std::size_t other = 0; other < servers.size(); ++other) {
      const auto& asks = servers[other].asks;
      if (std::count(server.asks.begin(), server.asks.end(), other) + std::count(asks.begin(), asks.end(), i) > 0)
        links.push_back(Script::name(other));
    }
    if (i < 2) {
      system.process(Script::name(i), server.machine, links, [server, i](MessageCalls& calls) {
        Script script(calls, i);
        for (int request = 0; request < kRequests; ++request) script.work(server);
        script.note('E');
      });
      continue;
    }
    system.service(Script::name(i), server.machine, links, [server, i](MessageCalls& calls) {
      Script script(calls, i);
      for (;;) {
        script.note('I');
        const std::size_t asker = calls.receive_message().code;
        script.note('R', asker);
        script.work(server);
        script.send(asker);
      }
    });
  }
  return system.run();
}

using Path = std::vector<std::size_t>;  // processes
using Shares = std::map<std::pair<Path, BlamePart>, double>;

class Truth {
 public:
  Truth(const std::vector<Server>& servers, const SimTruth& truth) : servers_(servers), changes_(servers.size()) {
    for (const PrintedLine& line : truth.printed) {
      std::istringstream text(line.text);
      std::size_t self = 0;
      Change change;
      text >> self >> change.at_ns >> change.state >> change.other;
      changes_[self].push_back(change);
    }
  }

  void add(Path path, std::int64_t at_ns, double weight, Shares& shares) const {
    const std::size_t self = path.back();
    const std::size_t now = state_at(self, at_ns);
    const Change& change = changes_[self][now];
    if (change.state == 'C') {
      const double runs = 1.0 / static_cast<double>(computing_at(servers_[self].machine, at_ns));
      shares[{path, BlamePart::cpu}] += weight * runs;
      shares[{path, BlamePart::cpu_queue}] += weight * (1 - runs);
    } else if (change.state == 'Z') {
      shares[{path, BlamePart::other}] += weight;
    } else if (change.state == 'W') {
      wait(path, change.other, at_ns, change.at_ns, weight, shares);
    } else if (change.state == 'I' && now + 1 < changes_[self].size()) {
      wait(path, changes_[self][now + 1].other, at_ns, change.at_ns, weight, shares);
    } else {
      shares[{path, BlamePart::not_seen}] += weight;
    }
  }

 private:
  // Sending and receiving take no time: they are not states.
  std::size_t state_at(std::size_t self, std::int64_t at_ns) const {
    const auto& own = changes_[self];
    auto after = std::upper_bound(own.begin(), own.end(), at_ns,
                                  [](std::int64_t at, const Change& change) { return at < change.at_ns; });
    do --after;
    while (after != own.begin() && (after->state == 'M' || after->state == 'R'));
    return static_cast<std::size_t>(after - own.begin());
  }
  std::size_t computing_at(const std::string& machine, std::int64_t at_ns) const {
    std::size_t computing = 0;
    for (std::size_t i = 0; i < servers_.size(); ++i)
      computing += servers_[i].machine == machine && changes_[i][state_at(i, at_ns)].state == 'C' ? 1 : 0;
    return std::max<std::size_t>(computing, 1);
  }
  // Since when the awaited message was on its way, if it was: the last that the sender sent before it is received is it.
  void wait(Path path, std::size_t other, std::int64_t at_ns, std::int64_t since_ns, double weight,
            Shares& shares) const {
    const std::size_t self = path.back();
    const bool is_circle = std::find(path.begin(), path.end(), other) != path.end();
    const auto& own = changes_[self];
    const auto ends = std::find_if(
        own.begin(), own.end(), [&](const Change& change) { return change.at_ns > since_ns && change.at_ns > at_ns; });
    std::int64_t sent_ns = 0;
    for (const Change& change : changes_[other])
      if (change.state == 'M' && change.other == self && (ends == own.end() || change.at_ns < ends->at_ns))
        sent_ns = change.at_ns;
    path.push_back(other);
    if (at_ns >= sent_ns) {
      shares[{path, BlamePart::on_its_way}] += weight;
    } else if (is_circle) {
      shares[{path, BlamePart::not_followed}] += weight;
    } else {
      add(path, at_ns, weight, shares);
    }
  }

  const std::vector<Server>& servers_;
  std::vector<std::vector<Change>> changes_;
};

void flatten(const BlameNode& node, Path path, double whole_ns, Shares& shares) {
  path.push_back(node.process.value);
  for (std::size_t part = 0; part < kBlameParts; ++part)
    if (node.parts_ns[part] != 0)
      shares[{path, static_cast<BlamePart>(part)}] += static_cast<double>(node.parts_ns[part]) / whole_ns;
  for (const BlameNode& child : node.waits) flatten(child, path, whole_ns, shares);
}

}  // namespace

// A server that two clients share has its queue in one part of a computation; blame spreads it over the whole. That makes 1.3
// points in one of these 24 trees, and less than one in the others.
constexpr double kMargin = .015;

TEST_CASE("blame: on random systems it is what their programs wrote down", "[blame]") {
  constexpr int kInstants = 6000;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const std::vector<Server> servers = random_servers(random);
    const auto outcome = simulate(servers);
    REQUIRE(outcome.error == "");
    std::vector<std::int64_t> times_ns;
    for (const Event& event : outcome.seen.events) times_ns.push_back(event.local_time.ns);
    const TraceInfo& info = outcome.seen.info;
    const BlameAnalysis blame(outcome.seen.events, times_ns, info);
    const Truth truth(servers, outcome.truth);
    for (std::uint32_t client = 0; client < 2; ++client) {
      const auto interval = blame.lifetime(ProcessId{client}).value();
      const BlameNode root = blame.divide(ProcessId{client}, interval);
      REQUIRE(root.total_ns() == interval.to_ns - interval.from_ns);
      Shares fast, slow;
      flatten(root, {}, static_cast<double>(root.total_ns()), fast);
      for (int i = 0; i < kInstants; ++i) {
        const double at = (i + .5) / kInstants * static_cast<double>(root.total_ns());
        truth.add({client}, interval.from_ns + std::llround(at), 1.0 / kInstants, slow);
      }
      for (const auto& [what, share] : slow) {
        INFO("process " << what.first.back() << " part " << static_cast<int>(what.second) << " depth "
                        << what.first.size());
        CHECK(fast[what] == Approx(share).margin(kMargin));
      }
      for (const auto& [what, share] : fast) CHECK(slow[what] == Approx(share).margin(kMargin));
    }
    // Each wait for the CPU has its rivals, and they are all.
    for (const ProcessTruth& process : outcome.truth.processes) {
      double named_ns = 0;
      for (const WaitCause& cause : info.wait_causes)
        if (info[cause.process].name == process.name) named_ns += static_cast<double>(cause.time_ns);
      CHECK(named_ns == Approx(static_cast<double>(process.ready_time_ns)).margin(1e5));
    }
  }
}

}  // namespace dpm
