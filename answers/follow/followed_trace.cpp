#include "answers/follow/followed_trace.hpp"

#include <algorithm>

#include "answers/reading/trace_input.hpp"

namespace dpm::cli {
namespace {

double longest_s(const Statistics& statistics) {
  double longest = 0;
  for (const MachineStatistics& machine : statistics.machines)
    longest = std::max(longest, (machine.last_time - machine.first_time).seconds());
  return longest;
}

std::vector<std::optional<std::uint64_t>> queue_lengths(const Queues& queues, std::size_t processes) {
  std::vector<std::optional<std::uint64_t>> lengths(processes);
  for (const QueueStatistics& queue : queues.processes)
    if (queue.measured && queue.process.value < processes) lengths[queue.process.value] = queue.still_queued;
  return lengths;
}

TraceTotals totals_of(Statistics statistics, const Queues& queues, const LastEvents& last, const TraceInfo& info) {
  TraceTotals totals;
  totals.elapsed_s = longest_s(statistics);
  totals.statistics = std::move(statistics);
  totals.doing = last.doing();
  totals.doing.resize(info.processes.size(), Doing::not_known);
  totals.awaited = last.awaited(info);
  totals.queued = queue_lengths(queues, info.processes.size());
  return totals;
}

}  // namespace

void LastEvents::on_events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    if (event.process.is_none()) continue;
    if (event.process.value >= doing_.size()) doing_.resize(event.process.value + 1, Doing::not_known);
    Doing& doing = doing_[event.process.value];
    switch (event.type) {
      case EventType::receive_call:
        doing = Doing::waits_for_message;
        asked_.resize(doing_.size());
        asked_[event.process.value] = event.code;
        break;
      case EventType::destroy_process:
        doing = Doing::ended;
        break;
      case EventType::message_queued:
        break;  // others did it
      case EventType::send:
        if (!event.channel.is_none()) {
          if (event.channel.value >= senders_.size()) senders_.resize(event.channel.value + 1);
          senders_[event.channel.value] = event.process;
        }
        doing = Doing::not_known;
        break;
      default:
        doing = Doing::not_known;
    }
  }
}

std::vector<ProcessId> LastEvents::awaited(const TraceInfo& info) const {
  std::vector<ProcessId> awaited(doing_.size());
  for (std::size_t p = 0; p < doing_.size(); ++p) {
    if (doing_[p] != Doing::waits_for_message || asked_[p] >= info.channel_sets.size()) continue;
    for (const ChannelId channel : info.channel_sets[asked_[p]]) {
      const ProcessId sender = channel.value < senders_.size() ? senders_[channel.value] : ProcessId{};
      if (!awaited[p].is_none() && sender != awaited[p]) {
        awaited[p] = {};
        break;
      }
      awaited[p] = sender;
    }
  }
  return awaited;
}

FollowedTrace::FollowedTrace(FollowedEvents events) : events_(std::make_unique<FollowedEvents>(std::move(events))) {
  statistics_.on_begin(events_->info());
  last_events_.on_begin(events_->info());
  queues_.on_begin(events_->info());
}

Result<FollowedTrace> FollowedTrace::open(const std::string& path) {
  auto events = FollowedEvents::open(path);
  if (!events) return events.error();
  return FollowedTrace(*std::move(events));
}

bool FollowedTrace::read(std::uint64_t events_max) {
  return events_->read([this](std::span<const Event> batch) { deliver(batch); }, events_max);
}

void FollowedTrace::deliver(std::span<const Event> batch) {
  statistics_.on_events(batch);
  last_events_.on_events(batch);
  batch_.assign(batch.begin(), batch.end());
  std::erase_if(batch_, [&](const Event& event) { return !has_queue_event(event, info()); });
  queues_.on_events(batch_);
}

TraceTotals FollowedTrace::totals() const {
  TraceTotals totals = totals_of(statistics_.result(), queues_.result(), last_events_, info());
  totals.ledger = events_->ledger();
  totals.is_over = events_->is_over();
  return totals;
}

Result<EndedTrace> read_totals(const std::string& path) {
  StatisticsAnalysis statistics;
  QueueAnalysis queues({.series_max = 0});
  LastEvents last;
  auto input = read_trace(path, {&statistics, &queues, &last});
  if (!input) return input.error();
  EndedTrace ended{std::move(input->info), {}};
  ended.totals = totals_of(statistics.result(), queues.result(), last, ended.info);
  ended.totals.ledger = std::move(input->ledger);
  ended.totals.is_over = true;
  return ended;
}

}  // namespace dpm::cli
