#include "tests/analysis/blame/random_system.hpp"

#include <algorithm>
#include <sstream>

namespace dpm::testing {
namespace {

class Script {
 public:
  Script(MessageCalls& calls, std::size_t self) : calls_(calls), self_(self) {}

  void note(char state, std::size_t other = 0) {
    calls_.print_line(std::to_string(self_) + " " + std::to_string(calls_.local_time().ns) + " " + state + " " +
                      std::to_string(other));
  }
  void send(std::size_t to) {
    note('M', to);
    calls_.send_message(calls_.link_to(name(to)), message_of(static_cast<std::uint32_t>(self_)));
  }
  void ask(std::size_t to) {
    send(to);
    note('W', to);
    const LinkIndex from = calls_.link_from(name(to));
    calls_.receive_message(std::span(&from, 1));
  }
  void work(const RandomServer& server) {
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

}  // namespace

std::vector<RandomServer> random_servers(Random& random) {
  const std::size_t clients = kClients, count = clients + 2 + random.below(5);
  std::vector<RandomServer> servers(count);
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

Outcome simulate(const std::vector<RandomServer>& servers) {
  constexpr int kRequests = 60;
  System system;
  system.scenario.delays = constant_delays(.0005, .002);
  for (const char* machine : {"m0", "m1", "m2"}) system.machine(machine);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const RandomServer& server = servers[i];
    std::vector<std::string> links;
    for (std::size_t other = 0; other < servers.size(); ++other) {
      const auto& asks = servers[other].asks;
      if (std::count(server.asks.begin(), server.asks.end(), other) + std::count(asks.begin(), asks.end(), i) > 0)
        links.push_back(Script::name(other));
    }
    if (i < kClients) {
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

void flatten(const BlameNode& node, BlamePath path, double whole_ns, BlameShares& shares) {
  path.push_back(node.process.value);
  for (std::size_t part = 0; part < kBlameParts; ++part)
    if (node.parts_ns[part] != 0)
      shares[{path, static_cast<BlamePart>(part)}] += static_cast<double>(node.parts_ns[part]) / whole_ns;
  for (const BlameNode& child : node.waits) flatten(child, path, whole_ns, shares);
}

WrittenTruth::WrittenTruth(const std::vector<RandomServer>& servers, const SimTruth& truth)
    : servers_(servers), changes_(servers.size()) {
  for (const PrintedLine& line : truth.printed) {
    std::istringstream text(line.text);
    std::size_t self = 0;
    Change change;
    text >> self >> change.at_ns >> change.state >> change.other;
    changes_[self].push_back(change);
  }
}

void WrittenTruth::add(BlamePath path, std::int64_t at_ns, double weight, BlameShares& shares) const {
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

// Sending and receiving take no time: they are not states.
std::size_t WrittenTruth::state_at(std::size_t self, std::int64_t at_ns) const {
  const auto& own = changes_[self];
  auto after = std::upper_bound(own.begin(), own.end(), at_ns,
                                [](std::int64_t at, const Change& change) { return at < change.at_ns; });
  do --after;
  while (after != own.begin() && (after->state == 'M' || after->state == 'R'));
  return static_cast<std::size_t>(after - own.begin());
}
std::size_t WrittenTruth::computing_at(const std::string& machine, std::int64_t at_ns) const {
  std::size_t computing = 0;
  for (std::size_t i = 0; i < servers_.size(); ++i)
    computing += servers_[i].machine == machine && changes_[i][state_at(i, at_ns)].state == 'C' ? 1 : 0;
  return std::max<std::size_t>(computing, 1);
}
// Since when the awaited message was on its way, if it was: the last that the sender sent before it is received is it.
void WrittenTruth::wait(BlamePath path, std::size_t other, std::int64_t at_ns, std::int64_t since_ns, double weight,
                        BlameShares& shares) const {
  const std::size_t self = path.back();
  const bool is_circle = std::find(path.begin(), path.end(), other) != path.end();
  const auto& own = changes_[self];
  const auto ends = std::find_if(own.begin(), own.end(),
                                 [&](const Change& change) { return change.at_ns > since_ns && change.at_ns > at_ns; });
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

SampledState WrittenTruth::state_of(std::size_t self, std::int64_t at_ns, Random& random) const {
  switch (changes_[self][state_at(self, at_ns)].state) {
    case 'C': {
      const auto computing = static_cast<double>(computing_at(servers_[self].machine, at_ns));
      return random.chance(1 / computing) ? SampledState::runs : SampledState::queues;
    }
    case 'W':
    case 'I':
      return SampledState::waits;
    default:
      return SampledState::other;
  }
}

}  // namespace dpm::testing
