// links: dpm_policies dpm_scheduling_live
// What feedback scheduling of live programs costs: the window and the loop at 50,000 messages a second, as a share of a core (goal: 2 %),
// and one decision of the policy `predicted` for 50 processes on 8 machines (goal: 200 ms). The program does requests and answers over
// 400 connections; its events come in batches of 200 ms, as to dpm schedule.
#include <cstdio>
#include <ctime>

#include "bench/measure.hpp"
#include "model/random.hpp"
#include "scheduling/live/live_scheduler.hpp"
#include "scheduling/policies/policy_registry.hpp"

namespace {

using namespace dpm;

constexpr std::uint32_t kServers = 10, kClients = 40;
constexpr std::uint16_t kMachines = 8;
constexpr std::int64_t kStepNs = 200'000'000;
constexpr int kMessagesPerStep = 10'000, kSteps = 300, kReplayedEventsMax = 3000;

class NoPlacing : public ProcessPlacing {
 public:
  std::vector<ProcessPlace> places() override {
    std::vector<ProcessPlace> places;
    for (int i = 0; i < kMachines; ++i) places.push_back({"core" + std::to_string(i), 1, true});
    return places;
  }
  std::optional<std::size_t> place_of(std::uint32_t pid, std::uint32_t) override { return pid % kMachines; }
  Result<void> put(std::uint32_t, std::size_t) override { return {}; }
  Result<void> let_go(std::uint32_t) override { return {}; }
};

// Streams: a channel each way between every client and every server.
class Requests {
 public:
  TraceGrowth tables() const {
    TraceGrowth growth;
    for (std::uint32_t p = 0; p < kServers + kClients; ++p) {
      ProcessInfo process{"process" + std::to_string(p), p < kServers ? "server" : "client", MachineId{0}};
      process.pid = process.tid = 100 + p;
      growth.processes.push_back(process);
    }
    for (std::uint32_t c = 0; c < kClients; ++c)
      for (std::uint32_t s = 0; s < kServers; ++s)
        for (const bool up : {true, false}) {
          ChannelInfo channel;
          channel.owner = up ? ProcessId{s} : ProcessId{kServers + c};
          channel.kind = ChannelKind::stream;
          growth.channels.push_back(channel);
        }
    return growth;
  }

  const std::vector<Event>& next(int messages) {
    events_.clear();
    for (int i = 0; i < messages / 2; ++i) {
      const auto client = static_cast<std::uint32_t>(random_.below(kClients));
      const auto server = static_cast<std::uint32_t>(random_.below(kServers));
      const std::uint32_t channel = 2 * (client * kServers + server);
      message(kServers + client, server, channel, 100);
      message(server, kServers + client, channel + 1, 400);
    }
    return events_;
  }

 private:
  void message(std::uint32_t from, std::uint32_t to, std::uint32_t channel, std::uint32_t bytes) {
    if (offsets_.size() <= channel) offsets_.resize(channel + std::size_t{1});
    now_ns_ += 20'000;
    Event event;
    event.channel = {channel};
    event.sequence = offsets_[channel];
    event.length_bytes = bytes;
    offsets_[channel] += bytes;
    add(event, EventType::send, from, 30'000);
    add(Event(), EventType::receive_call, to, 2'000);
    add(event, EventType::receive, to, 5'000);
  }
  void add(Event event, EventType type, std::uint32_t process, std::uint64_t cpu_ns) {
    event.type = type;
    event.process = {process};
    event.machine = {0};
    event.local_time = {now_ns_ += 1'000};
    event.proc_time_ns = cpu_ns_[process] += cpu_ns;
    events_.push_back(event);
  }

  Random random_{1};
  std::vector<Event> events_;
  std::vector<std::uint64_t> offsets_, cpu_ns_ = std::vector<std::uint64_t>(kServers + kClients);
  std::int64_t now_ns_ = 0;
};

double cpu_s() {
  timespec used = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

LiveSchedulerOptions live_options(const double& used_s) {
  LiveSchedulerOptions options;
  options.loop.window = Duration::from_seconds(2);
  options.loop.settling = Duration::from_seconds(.5);
  options.window.length = Duration::from_seconds(2);
  options.delays.remote.wake_ups = WakeUp{20e-6, 0, 0};
  options.cpu_s = [&used_s] { return used_s; };
  return options;
}

double share_of_a_core(const std::string& policy_name) {
  NoPlacing placing;
  const auto policy = make_policy(policy_name, {.evaluations = 150, .replayed_events_max = kReplayedEventsMax});
  double used_s = 0;
  LiveScheduler scheduler(live_options(used_s), **policy, placing, [](const JournalEntry&) {});
  Requests requests;
  scheduler.learn(requests.tables());
  std::vector<Event> queue;
  for (int step = 0; step < kSteps; ++step) {
    const auto& events = requests.next(kMessagesPerStep);
    const double before_s = cpu_s();
    queue.assign(events.begin(), events.end());
    scheduler.take(queue, {step * kStepNs});
    scheduler.step({step * kStepNs});
    used_s += cpu_s() - before_s;
  }
  return used_s / (static_cast<double>(kStepNs) * 1e-9 * kSteps);
}

void time_decisions() {
  NoPlacing placing;
  TraceInfo info;
  Requests requests;
  requests.tables().add_to(info);
  for (const auto& place : placing.places()) info.machines.push_back({place.name});
  info.delays.remote.wake_ups = WakeUp{20e-6, 0, 0};
  SlidingWindow window({.length = Duration::from_seconds(2)});
  window.on_begin(info);
  SystemView view{window, info.machines, {}, {}};
  for (std::uint32_t p = 0; p < info.processes.size(); ++p) {
    view.machine_of.push_back({static_cast<std::uint16_t>(p % 3)});  // five of eight are idle
    view.may_move.push_back(true);
    info.processes[p].machine = view.machine_of[p];
  }
  for (Event event : requests.next(20'000)) {
    event.machine = view.machine_of[event.process.value];
    window.on_events({&event, 1});
  }
  window.set_now(Duration::from_seconds(1));
  const auto policy = make_policy("predicted", {.evaluations = 150, .replayed_events_max = kReplayedEventsMax});
  std::vector<double> times_s;
  std::string reason;
  for (int i = 0; i < 7; ++i) {
    const double before_s = cpu_s();
    reason = (*policy)->propose(view).reason;
    times_s.push_back(cpu_s() - before_s);
  }
  std::printf("a decision for %u processes on %u machines: %.0f ms of CPU time (goal: 200); %s\n", kServers + kClients,
              static_cast<unsigned>(kMachines), median(times_s) * 1e3, reason.c_str());
}

}  // namespace

int main() {
  time_decisions();
  for (const std::string policy : {"none", "even-load", "near", "predicted"})
    std::printf("50,000 messages a second, policy %s: %.2f %% of a core (goal: 2)\n", policy.c_str(),
                share_of_a_core(policy) * 100);
}
