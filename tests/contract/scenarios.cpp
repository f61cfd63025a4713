#include "tests/contract/scenarios.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kRequest = 1;
constexpr std::uint32_t kReply = 2;

// Answers `requests` CALLs, each after some work of its own length.
Program server(int requests) {
  return [requests](MessageCalls& calls) {
    for (int request = 0; request < requests; ++request) {
      const Message message = calls.receive_message();
      calls.compute(Duration::from_seconds(calls.random().exponential(0.01)));
      calls.reply(message, {.code = kReply, .length_bytes = 1000});
    }
  };
}

Program client(int requests) {
  return [requests](MessageCalls& calls) {
    const LinkIndex to_server = calls.link_to("server");
    for (int request = 0; request < requests; ++request) {
      calls.compute(Duration::from_seconds(calls.random().exponential(0.005)));
      calls.destroy_link(calls.duplicate_link(to_server));
      calls.call(to_server, {.code = kRequest, .length_bytes = 100});
    }
  };
}

}  // namespace

Scenario two_machines() {
  Scenario scenario;
  scenario.name = "contract";
  scenario.delays = DelayModel::demos_vax();
  scenario.machines = {{"red", 1, {Duration::from_seconds(5), 40, Duration{1000}}}, {"blue", 0.5, {}}};
  scenario.filters = {{"filter", "red"}};
  return scenario;
}

ProcessDescription metered_process(const std::string& name, const std::string& machine, Program program) {
  ProcessDescription description;
  description.name = name;
  description.program_name = name;
  description.program = std::move(program);
  description.machine = machine;
  description.flags = MeterFlags::all();
  description.filter = "filter";
  return description;
}

Scenario busy_server(int clients, int requests) {
  Scenario scenario = two_machines();
  scenario.processes.push_back(metered_process("server", "red", server(clients * requests)));
  for (int number = 0; number < clients; ++number) {
    auto description =
        metered_process("client" + std::to_string(number), number % 2 == 0 ? "red" : "blue", client(requests));
    description.links = {"server"};
    scenario.processes.push_back(std::move(description));
  }
  return scenario;
}

}  // namespace dpm
