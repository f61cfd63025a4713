// Events of clients and servers by the million, generated as fast as they can be read: request, answer, request,
// answer, to servers drawn at random. It keeps only a counter per process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/event_source.hpp"
#include "model/random.hpp"

namespace dpm {

class SyntheticEvents : public EventSource {
 public:
  // `reach`: how many servers a client asks; 0: all.
  SyntheticEvents(std::uint64_t events, std::uint32_t servers, std::uint32_t clients, std::uint16_t machines,
                  std::uint32_t reach = 0)
      : exchanges_(events / 4), servers_(servers), clients_(clients), reach_(reach) {
    info_.delays = DelayModel::demos_vax();
    for (std::uint16_t m = 0; m < machines; ++m) info_.machines.push_back({"machine" + std::to_string(m), 1.0});
    for (std::uint32_t p = 0; p < servers + clients; ++p) {
      ProcessInfo process;
      process.name = "process" + std::to_string(p);
      process.machine = {static_cast<std::uint16_t>(p % machines)};
      info_.processes.push_back(process);
      info_.channels.push_back({ProcessId{p}, ""});
    }
    cpu_ns_.resize(info_.processes.size());
    sent_.resize(info_.processes.size());
  }

  Result<void> run(EventSink& sink) override {
    sink.on_begin(info_);
    std::vector<Event> batch;
    const auto flush = [&] {
      sink.on_events(batch);
      seen_ += batch.size();
      batch.clear();
    };
    for (std::uint64_t i = 0; i < exchanges_; ++i) {
      const auto drawn = static_cast<std::uint32_t>(random_.below(reach_ == 0 ? servers_ : reach_));
      // Clients of a drawn neighbourhood alternate, so that many are in progress at once.
      const auto client = servers_ + static_cast<std::uint32_t>((i + random_.below(3)) % clients_);
      const std::uint32_t server = reach_ == 0 ? drawn : (client + drawn) % servers_;
      message(batch, client, server);
      message(batch, server, client);
      if (batch.size() >= 64) flush();
    }
    flush();
    LossReport report;
    report.seen = seen_;
    sink.on_end(report);
    return {};
  }

 private:
  void message(std::vector<Event>& batch, std::uint32_t from, std::uint32_t to) {
    Event event;
    event.process = {from};
    event.peer = {to};
    event.machine = info_.processes[from].machine;
    event.channel = {to};
    event.sequence = ++sent_[from];
    event.length_bytes = kSizes[random_.below(4)];
    event.proc_time_ns = cpu_ns_[from] += 100'000 + random_.below(4'000'000);
    event.type = EventType::send;
    batch.push_back(event);
    event.process = {to};
    event.peer = {from};
    event.machine = info_.processes[to].machine;
    event.proc_time_ns = cpu_ns_[to] += random_.below(200'000);
    event.type = EventType::receive;
    batch.push_back(event);
  }

  static constexpr std::uint32_t kSizes[] = {10, 100, 512, 1000};

  std::uint64_t exchanges_;
  std::uint32_t servers_, clients_, reach_;
  TraceInfo info_;
  Random random_{1};
  std::vector<std::uint64_t> cpu_ns_, sent_;
  std::uint64_t seen_ = 0;
};

}  // namespace dpm
