#include "tests/support/random_system.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>

#include "model/random.hpp"

namespace dpm::test {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;

ObviousStep compute(std::int64_t ns) {
  ObviousStep step;
  step.work_ns = ns;
  return step;
}

ObviousStep send(std::uint32_t to, std::uint32_t channel, std::uint32_t bytes, std::uint64_t id, std::uint32_t number) {
  ObviousStep step;
  step.kind = ObviousStep::Kind::send;
  step.to = to;
  step.message = {0, channel, bytes, id, number};
  return step;
}

std::string numbered(std::string name, std::uint32_t number) { return name.append(std::to_string(number)); }

void describe_machines(TraceInfo& info, std::uint32_t machines, bool speeds) {
  for (std::uint32_t m = 0; m < machines; ++m) {
    info.machines.push_back({numbered("m", m), speeds && m % 2 == 1 ? 2.0 : 1.0});
  }
}

void describe_process(TraceInfo& info, const std::string& name) {
  const auto p = static_cast<std::uint32_t>(info.processes.size());
  ProcessInfo process;
  process.name = name;
  process.program = name;
  process.machine = {static_cast<std::uint16_t>(p % info.machines.size())};
  info.processes.push_back(process);
  info.channels.push_back({ProcessId{p}, "to " + name});  // channel number = process number
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return Random(a * 0x9e3779b97f4a7c15ull ^ (b + 1)).next() >> 8;
}

}  // namespace

DelayModel constant_delays(double local_s, double remote_s) {
  DelayModel delays;
  delays.name = "constant";
  delays.local.delivery_s = PiecewiseLinear::through({{0, local_s}}).value();
  delays.remote.delivery_s = PiecewiseLinear::through({{0, remote_s}}).value();
  return delays;
}

ObviousSystem random_system(std::uint64_t seed, const RandomShape& shape) {
  ObviousSystem system;
  describe_machines(system.info, shape.machines, shape.speeds);
  for (std::uint32_t m = 0; shape.cores && m < shape.machines; ++m)
    system.info.machines[m].cores = static_cast<std::uint16_t>(1 + mixed(seed, m) % 4);
  for (std::uint32_t p = 0; p < shape.processes; ++p) describe_process(system.info, numbered("p", p));
  system.info.delays = shape.constant_times ? constant_delays(.002, .005) : DelayModel::demos_vax();
  if (shape.message_cpu) {
    system.info.delays.local.sender_cpu_s = PiecewiseLinear::through({{0, .0002}, {1000, .001}}).value();
    system.info.delays.remote.sender_cpu_s = PiecewiseLinear::through({{0, .0015}, {1000, .004}}).value();
    system.info.delays.local.receiver_cpu_s = PiecewiseLinear::through({{0, .0001}}).value();
    system.info.delays.remote.receiver_cpu_s = PiecewiseLinear::through({{0, .0008}, {1000, .003}}).value();
  }
  if (shape.created) {
    system.created_later.assign(shape.processes, false);
    system.created_later.back() = true;
  }
  system.program = [seed, shape](std::uint32_t p, const ObviousMessage* message) {
    Random random(mixed(seed, message == nullptr ? p : message->id));
    const auto work = [&] {
      return shape.constant_times ? kMillisecond : 1 + static_cast<std::int64_t>(random.below(9'000'000));
    };
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    if (message == nullptr && shape.created && p == 0) {
      steps.push_back(compute(work()));
      ObviousStep create;
      create.kind = ObviousStep::Kind::create;
      create.to = shape.processes - 1;
      steps.push_back(create);
    }
    std::uint32_t sends = message == nullptr ? shape.first_messages : 0;
    if (message != nullptr && message->number > 0) sends = random.below(8) == 0 ? 2 : random.below(12) == 0 ? 0 : 1;
    for (std::uint32_t i = 0; i < sends; ++i) {
      if (random.below(4) != 0) steps.push_back(compute(work()));
      const auto to = static_cast<std::uint32_t>(random.below(shape.processes));
      const auto bytes = shape.constant_times ? 10u : 1 + static_cast<std::uint32_t>(random.below(1000));
      const std::uint64_t id = mixed(seed ^ (message == nullptr ? p : message->id), i + 77);
      if (shape.data && random.below(3) == 0) {
        steps.push_back(send(to, to, 1000, id ^ 1, 0));
        steps.back().kind = ObviousStep::Kind::move_data;
      }
      steps.push_back(send(to, to, bytes, id, message == nullptr ? shape.generations : message->number - 1));
    }
    steps.push_back(compute(work()));
    return reaction;
  };
  return system;
}

ObviousSystem selective_server(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests, bool constant_times) {
  ObviousSystem system;
  describe_machines(system.info, clients + 2, false);
  describe_process(system.info, "server");
  describe_process(system.info, "disk");
  for (std::uint32_t c = 0; c < clients; ++c) describe_process(system.info, numbered("client", c));
  system.info.delays = constant_times ? constant_delays(.002, .005) : DelayModel::demos_vax();
  const auto answers = static_cast<std::uint32_t>(system.info.channels.size());
  system.info.channels.push_back({ProcessId{0}, "answers of the disk"});
  system.info.channel_sets.push_back({ChannelId{0}});        // 1: requests
  system.info.channel_sets.push_back({ChannelId{answers}});  // 2: answers of the disk
  // A message's number is client * 10^6 + what is left to ask.
  system.program = [=](std::uint32_t p, const ObviousMessage* message) {
    Random random(mixed(seed, message == nullptr ? p : message->id));
    const auto work = [&] {
      return constant_times ? kMillisecond : 1 + static_cast<std::int64_t>(random.below(4'000'000));
    };
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    const std::uint64_t id = mixed(seed, (message == nullptr ? p : message->id) + 1000);
    if (p == 0) {
      reaction.wait_set = 1;
      if (message == nullptr) return reaction;
      steps.push_back(compute(work()));
      if (message->channel == answers) {
        steps.push_back(send(message->number / 1'000'000, message->number / 1'000'000, 100, id, message->number));
      } else {
        steps.push_back(send(1, 1, 10, id, message->number));
        reaction.wait_set = 2;
      }
    } else if (p == 1) {
      if (message == nullptr) return reaction;
      steps.push_back(compute(work()));
      steps.push_back(send(0, answers, 1000, id, message->number));
    } else {
      const std::uint32_t left = message == nullptr ? requests : message->number % 1'000'000;
      steps.push_back(compute(work()));
      if (left == 0) {
        reaction.ends = true;
        return reaction;
      }
      steps.push_back(send(0, 0, 20, id, p * 1'000'000 + left - 1));
    }
    return reaction;
  };
  return system;
}

ObviousSystem preferring_server(std::uint64_t seed, std::uint32_t urgent, std::uint32_t ordinary,
                                std::uint32_t requests) {
  ObviousSystem system;
  describe_machines(system.info, urgent + ordinary + 2, false);
  describe_process(system.info, "server");
  describe_process(system.info, "disk");
  for (std::uint32_t c = 0; c < urgent; ++c) describe_process(system.info, numbered("urgent", c));
  for (std::uint32_t c = 0; c < ordinary; ++c) describe_process(system.info, numbered("ordinary", c));
  for (std::uint32_t p = 2; p < urgent + ordinary + 2; ++p)
    system.info.processes[p].program = p < urgent + 2 ? "urgent" : "ordinary";
  system.info.delays = DelayModel::demos_vax();
  const auto rows = static_cast<std::uint32_t>(system.info.channels.size());
  system.info.channels.push_back({ProcessId{0}, "rows"});
  system.info.channel_sets.push_back({ChannelId{rows}});
  // A message's number is client * 10^6 + what is left to ask.
  const auto held = std::make_shared<std::vector<ObviousMessage>>();
  system.program = [=](std::uint32_t p, const ObviousMessage* message) {
    const bool asked = message != nullptr && !message->timer;
    Random random(mixed(seed, asked ? message->id : p));
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    if (p == 0) {
      if (message == nullptr) {
        held->clear();
        return reaction;
      }
      if (message->timer) {
        const auto first =
            std::min_element(held->begin(), held->end(), [&](const ObviousMessage& a, const ObviousMessage& b) {
              return (a.sender < urgent + 2 ? 0 : 1) < (b.sender < urgent + 2 ? 0 : 1);
            });
        const ObviousMessage next = *first;
        held->erase(first);
        Random of_request(mixed(seed, next.id));
        steps.push_back(compute(1 + static_cast<std::int64_t>(of_request.below(20'000'000))));
        if (of_request.chance(.5)) {
          steps.push_back(send(1, 1, 10, mixed(seed, next.id + 1000), next.number));
          reaction.wait_set = 1;
          return reaction;
        }
        steps.push_back(send(next.sender, next.sender, 100, mixed(seed, next.id + 2000), next.number));
      } else if (message->channel == rows) {
        const std::uint32_t client = message->number / 1'000'000;
        steps.push_back(send(client, client, 100, mixed(seed, message->id + 2000), message->number));
      } else {
        held->push_back(*message);
      }
      if (!held->empty()) reaction.wait_ns = 0;
    } else if (p == 1) {
      if (message == nullptr) return reaction;
      steps.push_back(compute(1 + static_cast<std::int64_t>(random.below(5'000'000))));
      steps.push_back(send(0, rows, 200, mixed(seed, message->id + 3000), message->number));
    } else {
      const std::uint32_t left = message == nullptr ? requests : message->number % 1'000'000;
      steps.push_back(compute(1 + static_cast<std::int64_t>(random.below(40'000'000))));
      if (left == 0) {
        reaction.ends = true;
        return reaction;
      }
      steps.push_back(
          send(0, 0, 20, mixed(seed, (message == nullptr ? p : message->id) + 4000), p * 1'000'000 + left - 1));
    }
    return reaction;
  };
  return system;
}

ObviousSystem scheduler(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests) {
  ObviousSystem system;
  describe_machines(system.info, clients + 2, false);
  describe_process(system.info, "scheduler");
  describe_process(system.info, "worker");
  for (std::uint32_t c = 0; c < clients; ++c) describe_process(system.info, numbered("client", c));
  for (std::uint32_t c = 0; c < clients; ++c) system.info.processes[c + 2].program = "client";
  system.info.delays = DelayModel::demos_vax();
  // A message's number is client * 10^6 + what is left to ask.
  struct Desk {
    std::map<std::uint32_t, ObviousMessage> held;  // by client
    bool busy = false;
  };
  const auto desk = std::make_shared<Desk>();
  system.program = [=](std::uint32_t p, const ObviousMessage* message) {
    Random random(mixed(seed, message == nullptr ? p : message->id));
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    if (p == 0) {
      if (message == nullptr) {
        *desk = {};
        return reaction;
      }
      const std::uint32_t client = message->number / 1'000'000;
      steps.push_back(compute(2'000'000));
      if (message->sender == 1) {
        desk->busy = false;
        steps.push_back(send(client, client, 100, mixed(seed, message->id + 2000), message->number));
      } else {
        desk->held[client] = *message;
      }
      if (desk->busy || desk->held.empty()) return reaction;
      const ObviousMessage next = desk->held.begin()->second;
      desk->held.erase(desk->held.begin());
      desk->busy = true;
      steps.push_back(send(1, 1, 10, mixed(seed, next.id + 1000), next.number));
    } else if (p == 1) {
      if (message == nullptr) return reaction;
      steps.push_back(compute(1 + static_cast<std::int64_t>(random.below(20'000'000))));
      steps.push_back(send(0, 0, 200, mixed(seed, message->id + 3000), message->number));
    } else {
      const std::uint32_t left = message == nullptr ? requests : message->number % 1'000'000;
      steps.push_back(compute(1 + static_cast<std::int64_t>(random.below(40'000'000))));
      if (left == 0) {
        reaction.ends = true;
        return reaction;
      }
      steps.push_back(
          send(0, 0, 20, mixed(seed, (message == nullptr ? p : message->id) + 4000), p * 1'000'000 + left - 1));
    }
    return reaction;
  };
  return system;
}

ObviousSystem impatient_clients(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests) {
  ObviousSystem system;
  describe_machines(system.info, clients + 2, false);
  describe_process(system.info, "server_1");
  describe_process(system.info, "server_2");
  for (std::uint32_t c = 0; c < clients; ++c) describe_process(system.info, numbered("client", c));
  for (std::uint32_t c = 0; c < clients; ++c) system.info.processes[c + 2].program = "client";
  system.info.delays = DelayModel::demos_vax();
  // Each client waits for the server that it has asked: a channel for each of them.
  const auto answers = static_cast<std::uint32_t>(system.info.channels.size());
  for (std::uint32_t c = 0; c < clients; ++c) {
    system.info.channels.push_back({ProcessId{c + 2}, numbered("answers", c)});
    system.info.channel_sets.push_back({ChannelId{answers + c}});
  }
  const auto left_to_ask = std::make_shared<std::map<std::uint32_t, std::uint32_t>>();
  system.program = [=](std::uint32_t p, const ObviousMessage* message) {
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    if (p < 2) {
      if (message == nullptr) return reaction;
      Random random(mixed(seed, message->id));
      steps.push_back(compute(1 + static_cast<std::int64_t>(random.below(5'000'000))));
      const std::uint32_t client = message->sender;
      if (random.chance(.7))
        steps.push_back(send(client, answers + client - 2, 100, mixed(seed, message->id + 1000), 0));
    } else {
      if (message == nullptr) (*left_to_ask)[p] = requests;
      const std::uint32_t left = (*left_to_ask)[p]--;
      Random random(mixed(seed, p * 1000 + left));
      steps.push_back(compute(1 + static_cast<std::int64_t>(random.below(20'000'000))));
      if (left == 0) {
        reaction.ends = true;
        return reaction;
      }
      const auto server = static_cast<std::uint32_t>(random.below(2));
      steps.push_back(send(server, server, 20, mixed(seed, p * 1000 + left + 5000), 0));
      reaction.wait_set = p - 1;
      reaction.wait_ns = 2'000'000'000;  // longer than all answers take
    }
    return reaction;
  };
  return system;
}

ObviousSystem limited_server(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests, std::uint32_t limit) {
  ObviousSystem system;
  describe_machines(system.info, clients + 3, false);
  describe_process(system.info, "front");
  describe_process(system.info, "worker_1");
  describe_process(system.info, "worker_2");
  for (std::uint32_t c = 0; c < clients; ++c) describe_process(system.info, numbered("client", c));
  system.info.delays = DelayModel::demos_vax();
  const auto answers = static_cast<std::uint32_t>(system.info.channels.size());
  system.info.channels.push_back({ProcessId{0}, "answers of worker_1"});
  system.info.channels.push_back({ProcessId{0}, "answers of worker_2"});
  system.info.channel_sets.push_back({ChannelId{answers}, ChannelId{answers + 1}});
  // A message's number is client * 10^6 + what is left to ask.
  const auto in_progress = std::make_shared<std::uint32_t>(0);
  system.program = [=](std::uint32_t p, const ObviousMessage* message) {
    Random random(mixed(seed, message == nullptr ? p : message->id));
    const auto work = [&] { return compute(1 + static_cast<std::int64_t>(random.below(20'000'000))); };
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    const std::uint64_t id = mixed(seed, (message == nullptr ? p : message->id) + 1000);
    if (p == 0) {
      if (message == nullptr) {
        *in_progress = 0;
        return reaction;
      }
      steps.push_back(compute(1 + static_cast<std::int64_t>(random.below(1'000'000))));
      const std::uint32_t client = message->number / 1'000'000;
      if (message->channel >= answers) {
        steps.push_back(send(client, client, 100, id, message->number));
        --*in_progress;
      } else {
        const std::uint32_t worker = 1 + message->number % 2;
        steps.push_back(send(worker, worker, 10, id, message->number));
        ++*in_progress;
      }
      reaction.wait_set = *in_progress < limit ? 0 : 1;
    } else if (p <= 2) {
      if (message == nullptr) return reaction;
      steps.push_back(work());
      steps.push_back(send(0, answers + p - 1, 200, id, message->number));
    } else {
      const std::uint32_t left = message == nullptr ? requests : message->number % 1'000'000;
      steps.push_back(work());
      if (left == 0) {
        reaction.ends = true;
        return reaction;
      }
      steps.push_back(send(0, 0, 20, id, p * 1'000'000 + left - 1));
    }
    return reaction;
  };
  return system;
}

namespace {

constexpr std::uint32_t kBackEnds = 3;

// What a balancer has sent so far.
struct Given {
  std::uint32_t last = 0;                    // the back end of the last request
  std::array<int, kBackEnds + 1> owed = {};  // answers, by number of back end

  std::uint32_t next(Pick pick) const {
    std::uint32_t next = last % kBackEnds + 1;
    if (pick == Pick::in_turn) return next;
    for (std::uint32_t b = next % kBackEnds + 1, i = 1; i < kBackEnds; ++i, b = b % kBackEnds + 1)
      if (owed[b] < owed[next]) next = b;
    return next;
  }
};

}  // namespace

ObviousSystem balancer(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests, Pick pick, bool unequal) {
  constexpr std::uint32_t kStore = kBackEnds + 1;
  ObviousSystem system;
  describe_machines(system.info, clients + kStore, false);
  describe_process(system.info, "balancer");
  for (std::uint32_t b = 1; b <= kBackEnds; ++b) {
    describe_process(system.info, numbered("back_end", b));
    system.info.processes.back().program = "back_end";
  }
  describe_process(system.info, "store");
  for (std::uint32_t c = 0; c < clients; ++c) describe_process(system.info, numbered("client", c));
  system.info.delays = DelayModel::demos_vax();
  const auto rows = static_cast<std::uint32_t>(system.info.channels.size()) - 1;  // + number of the back end
  for (std::uint32_t b = 1; b <= kBackEnds; ++b) {
    system.info.channels.push_back({ProcessId{b}, "rows"});
    system.info.channel_sets.push_back({ChannelId{rows + b}});  // set b
  }
  // A message's number is client * 10^6 + what is left to ask.
  const auto given = std::make_shared<Given>();
  system.program = [=](std::uint32_t p, const ObviousMessage* message) {
    Random random(mixed(seed, message == nullptr ? p : message->id));
    const auto work = [&](std::int64_t most) { return compute(1 + static_cast<std::int64_t>(random.below(most))); };
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    const std::uint64_t id = mixed(seed, (message == nullptr ? p : message->id) + 1000);
    if (p > kStore) {
      const std::uint32_t left = message == nullptr ? requests : message->number % 1'000'000;
      steps.push_back(work(20'000'000));
      reaction.ends = left == 0;
      if (left > 0) steps.push_back(send(0, 0, 20, id, p * 1'000'000 + left - 1));
    } else if (message == nullptr) {
      if (p == 0) *given = {};
    } else if (p == 0) {
      steps.push_back(work(1'000'000));
      if (message->sender <= kBackEnds) {
        const std::uint32_t client = message->number / 1'000'000;
        --given->owed[message->sender];
        steps.push_back(send(client, client, 100, id, message->number));
      } else {
        given->last = given->next(pick);
        ++given->owed[given->last];
        steps.push_back(send(given->last, given->last, 10, id, message->number));
      }
    } else if (p == kStore) {
      steps.push_back(work(3'000'000));
      steps.push_back(send(message->sender, rows + message->sender, 200, id, message->number));
    } else if (message->sender == kStore) {
      steps.push_back(unequal ? compute(4 * p * kMillisecond) : work(9'000'000));
      steps.push_back(send(0, 0, 200, id, message->number));
    } else {
      steps.push_back(unequal ? compute(3 * p * kMillisecond) : work(9'000'000));
      steps.push_back(send(kStore, kStore, 50, id, message->number));
      reaction.wait_set = p;
    }
    return reaction;
  };
  return system;
}

ObviousSystem dispatcher_and_workers(std::uint64_t seed, std::uint32_t workers, std::uint32_t pieces,
                                     std::uint32_t outstanding) {
  ObviousSystem system;
  describe_machines(system.info, workers + 1, false);
  describe_process(system.info, "dispatcher");
  for (std::uint32_t w = 0; w < workers; ++w) {
    describe_process(system.info, numbered("worker", w));
    system.info.processes.back().program = "worker";
  }
  system.info.delays = constant_delays(.001, .004);
  // The dispatcher's k-th segment hands out piece k: its state is how many it has handed out.
  const auto handed_out = std::make_shared<std::uint32_t>(0);
  system.program = [=](std::uint32_t p, const ObviousMessage* message) {
    ObviousReaction reaction;
    auto& steps = reaction.steps;
    const auto hand_out = [&](std::uint32_t worker) {
      if (*handed_out == pieces) return;
      steps.push_back(send(worker, worker, 100, mixed(seed, 10 * *handed_out), *handed_out));
      ++*handed_out;
    };
    if (p == 0) {
      steps.push_back(compute(200'000));
      if (message != nullptr) {
        hand_out(message->sender);
        return reaction;
      }
      *handed_out = 0;
      for (std::uint32_t i = 0; i < outstanding; ++i) {
        for (std::uint32_t worker = 1; worker <= workers; ++worker) hand_out(worker);
      }
    } else if (message != nullptr) {
      Random random(mixed(seed, message->number));
      steps.push_back(compute(static_cast<std::int64_t>(random.exponential(20e6))));
      steps.push_back(send(0, 0, 50, message->id + 1, message->number));
    }
    return reaction;
  };
  return system;
}

std::vector<MachineId> random_placement(std::uint64_t seed, const TraceInfo& info) {
  Random random(seed);
  std::vector<MachineId> machine_of;
  for (std::size_t p = 0; p < info.processes.size(); ++p) {
    machine_of.push_back({static_cast<std::uint16_t>(random.below(info.machines.size()))});
  }
  return machine_of;
}

}  // namespace dpm::test
