#include "validation/same-placement/gossip.hpp"

#include <string>
#include <vector>

#include "model/random.hpp"

namespace dpm::validation {
namespace {

// A message makes its receiver compute and pass it on until it has gone `hops` ways.
Program gossip(std::vector<std::string> others, std::uint32_t first_messages, std::uint32_t hops, double mean_s) {
  return [=](MessageCalls& calls) {
    const auto send = [&](std::uint32_t hop) {
      OutgoingMessage message;
      message.code = hop;
      message.length_bytes = 10 + static_cast<std::uint32_t>(calls.random().below(1000));
      const auto& to = others[calls.random().below(others.size())];
      calls.send_message(calls.link_to(to), message);
    };
    const auto work = [&] { calls.compute(Duration::from_seconds(mean_s * (.1 + 2 * calls.random().uniform()))); };
    for (std::uint32_t i = 0; i < first_messages; ++i) {
      work();
      send(1);
    }
    for (;;) {
      const Message received = calls.receive_message();
      work();
      if (received.code < hops) send(received.code + 1);
    }
  };
}

}  // namespace

Scenario gossip_system(std::uint64_t seed, double mean_s) {
  Random draws(seed);
  Scenario scenario;
  scenario.name = "random";
  scenario.seed = seed;
  scenario.delays = DelayModel::demos_vax();
  const std::uint64_t machines = 1 + draws.below(4), processes = 2 + draws.below(10);
  for (std::uint64_t m = 0; m < machines; ++m) scenario.machines.push_back({"m" + std::to_string(m)});
  std::vector<std::string> names;
  for (std::uint64_t p = 0; p < processes; ++p) names.push_back("p" + std::to_string(p));
  for (const auto& name : names) {
    ProcessDescription process;
    process.name = process.program_name = name;
    process.machine = scenario.machines[draws.below(machines)].name;
    for (const auto& other : names)
      if (other != name) process.links.push_back(other);
    process.program = gossip(process.links, 1 + static_cast<std::uint32_t>(draws.below(4)), 60, mean_s);
    process.flags = MeterFlags::all();
    process.service = name != names[0];
    scenario.processes.push_back(std::move(process));
  }
  return scenario;
}

}  // namespace dpm::validation
