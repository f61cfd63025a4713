#include "tests/contract/source_contract.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <type_traits>

#include "tests/support/memory_source.hpp"

namespace dpm {
namespace {

// Events are compared as bytes, which is only right without padding.
static_assert(std::has_unique_object_representations_v<Event>);

constexpr std::size_t kMaxOfAKind = 3;

// Collects sentences; a source that is wrong everywhere says so a few times, not a million.
class Violations {
 public:
  void add(const std::string& promise, const std::string& what) {
    if (++count_[promise] <= kMaxOfAKind) sentences_.push_back(promise + ": " + what);
  }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  std::map<std::string, std::size_t> count_;
  std::vector<std::string> sentences_;
};

// ---- the tables that event ids point into

bool is_prefix(const TraceInfo& before, const TraceInfo& now) {
  const auto grows = [](const auto& old_rows, const auto& new_rows, auto same) {
    return old_rows.size() <= new_rows.size() && std::equal(old_rows.begin(), old_rows.end(), new_rows.begin(), same);
  };
  return grows(before.machines, now.machines,
               [](const auto& a, const auto& b) {
                 return std::tie(a.name, a.speed, a.cores, a.addresses) ==
                        std::tie(b.name, b.speed, b.cores, b.addresses);
               }) &&
         grows(before.processes, now.processes,
               [](const auto& a, const auto& b) {
                 const bool may_be_renamed = a.pid != 0;
                 return (may_be_renamed || std::tie(a.name, a.program) == std::tie(b.name, b.program)) &&
                        std::tie(a.machine, a.filter, a.in_computation, a.pid, a.tid, a.group, a.began_ns,
                                 a.acquired) == std::tie(b.machine, b.filter, b.in_computation, b.pid, b.tid, b.group,
                                                         b.began_ns, b.acquired);
               }) &&
         grows(before.channels, now.channels,
               [](const auto& a, const auto& b) {
                 const bool same_owner = a.owner == b.owner || a.owner.is_none();  // it may become known
                 return same_owner && a.name == b.name && a.kind == b.kind && a.medium == b.medium;
               }) &&
         grows(before.modules, now.modules,
               [](const auto& a, const auto& b) {
                 return std::tie(a.process, a.start, a.end, a.file_offset, a.path) ==
                        std::tie(b.process, b.start, b.end, b.file_offset, b.path);
               }) &&
         grows(before.wait_causes, now.wait_causes, std::equal_to<>()) &&
         grows(before.filters, now.filters, std::equal_to<>()) &&
         grows(before.channel_sets, now.channel_sets, std::equal_to<>()) && before.source == now.source &&
         before.properties == now.properties && before.scenario == now.scenario && before.placement == now.placement &&
         before.seed == now.seed;
}

// What an event names that the info does not describe; empty when it describes all.
std::string undescribed(const Event& event, const TraceInfo& info) {
  const auto unknown = [](const char* what, std::uint64_t id) { return std::string(what) + " " + std::to_string(id); };
  if (event.machine.value >= info.machines.size()) return unknown("machine", event.machine.value);
  if (event.process.value >= info.processes.size()) return unknown("process", event.process.value);
  if (!event.peer.is_none() && event.peer.value >= info.processes.size())
    return unknown("peer process", event.peer.value);
  for (const ChannelId channel : {event.channel, event.passed_channel}) {
    if (!channel.is_none() && channel.value >= info.channels.size()) return unknown("channel", channel.value);
  }
  if (event.type == EventType::receive_call && event.code >= info.channel_sets.size())
    return unknown("channel set", event.code);
  if (event.type == EventType::accept && event.code != ChannelId::kNone && event.code >= info.channels.size())
    return unknown("listener's channel", event.code);
  return "";
}

// What the rows of the info name that it does not describe itself.
std::string undescribed_in(const TraceInfo& info) {
  for (const auto& process : info.processes) {
    if (process.machine.value >= info.machines.size()) return "the machine of process '" + process.name + "'";
    if (process.filter >= info.filters.size()) return "the filter of process '" + process.name + "'";
    if (!process.group.is_none() && process.group.value >= info.processes.size())
      return "the group of process '" + process.name + "'";
  }
  for (std::size_t channel = 0; channel < info.channels.size(); ++channel) {
    const ChannelInfo& described = info.channels[channel];
    const bool may_be_unknown =
        described.kind != ChannelKind::numbered;  // a sender that numbers its messages knows their receiver
    if (described.owner.value >= info.processes.size() && !(may_be_unknown && described.owner.is_none()))
      return "the owner of channel " + std::to_string(channel);
    for (const MachineId machine : {described.sender.machine, described.receiver.machine})
      if (!machine.is_none() && machine.value >= info.machines.size())
        return "the machine at an end of channel " + std::to_string(channel);
  }
  for (std::size_t set = 0; set < info.channel_sets.size(); ++set) {
    for (const auto channel : info.channel_sets[set]) {
      if (channel.value >= info.channels.size()) return "a channel of channel set " + std::to_string(set);
    }
  }
  for (const auto& module : info.modules)
    if (module.process.value >= info.processes.size()) return "the process of module '" + module.path + "'";
  for (const auto& cause : info.wait_causes)
    if (cause.process.value >= info.processes.size() ||
        (!cause.other.is_none() && cause.other.value >= info.processes.size()))
      return "a process of a cause of waiting";
  if (info.channel_sets.empty() || !info.channel_sets.front().empty())
    return "channel set 0, which means 'any channel'";
  return "";
}

// ---- the order of events

class OrderCheck {
 public:
  void take(const Event& event, const TraceInfo& info, const std::string& where, Violations* violations) {
    check_clocks(event, where, violations);
    if (event.channel.is_none()) return;
    const ChannelKind kind = info[event.channel].kind;
    if (event.type == EventType::send) check_numbers(event, kind, where, violations);
    // A datagram's RECEIVE does not say which one it is, and nothing can be received from a stream any number of times.
    const bool identified = kind == ChannelKind::numbered || (kind == ChannelKind::stream && event.length_bytes > 0);
    if (event.type == EventType::receive && identified) check_received_once(event, where, violations);
  }

 private:
  void check_clocks(const Event& event, const std::string& where, Violations* violations) {
    auto& proc_time_ns = proc_time_ns_[event.process];
    if (event.proc_time_ns < proc_time_ns) violations->add("order per process", where + " goes back in CPU time");
    proc_time_ns = event.proc_time_ns;

    const auto [clock, first] = local_time_.try_emplace({event.process, event.machine}, event.local_time);
    if (!first && event.local_time < clock->second)
      violations->add("order per process", where + " goes back in local time");
    clock->second = event.local_time;
  }

  void check_numbers(const Event& event, ChannelKind kind, const std::string& where, Violations* violations) {
    const auto [last, first] = last_sent_.try_emplace({event.process, event.channel}, event.sequence);
    const bool same_is_wrong = kind != ChannelKind::stream;  // an empty SEND leaves the offset as it is
    if (!first && (event.sequence < last->second || (same_is_wrong && event.sequence == last->second))) {
      violations->add("message numbers", where + " sends number " + std::to_string(event.sequence) + " after " +
                                             std::to_string(last->second) + " over the same channel");
    }
    last->second = event.sequence;
  }

  void check_received_once(const Event& event, const std::string& where, Violations* violations) {
    if (!received_.insert({event.peer, event.channel, event.sequence}).second) {
      violations->add("received once", where + " receives a message that was received before");
    }
  }

  std::map<ProcessId, std::uint64_t> proc_time_ns_;
  std::map<std::pair<ProcessId, MachineId>, LocalTime> local_time_;
  std::map<std::pair<ProcessId, ChannelId>, std::uint64_t> last_sent_;
  std::set<std::tuple<ProcessId, ChannelId, std::uint64_t>> received_;
};

// ---- a run

class CheckingSink : public EventSink {
 public:
  explicit CheckingSink(Violations* violations) : violations_(violations) {}

  void on_begin(const TraceInfo& info) override {
    if (info_ != nullptr) violations_->add("begin", "on_begin was called twice");
    if (ended_) violations_->add("end", "on_begin was called after on_end");
    info_ = &info;
    before_ = info;
  }

  void on_events(std::span<const Event> batch) override {
    if (info_ == nullptr) {
      violations_->add("begin", "events came before on_begin");
      return;
    }
    if (ended_) violations_->add("end", "events came after on_end");
    check_info();
    for (const auto& event : batch) check(event);
    delivered_.insert(delivered_.end(), batch.begin(), batch.end());
  }

  void on_end(const LossReport& losses) override {
    if (info_ == nullptr) violations_->add("begin", "on_end came before on_begin");
    if (ended_) violations_->add("end", "on_end was called twice");
    ended_ = true;
    losses_ = losses;
    if (info_ != nullptr) check_info();
    check_losses();
  }

  // After run().
  void check_ended() {
    if (info_ == nullptr) violations_->add("begin", "on_begin was never called");
    if (!ended_) violations_->add("end", "run() returned without on_end");
  }

  const std::vector<Event>& delivered() const { return delivered_; }
  const LossReport& losses() const { return losses_; }

 private:
  void check_info() {
    if (!is_prefix(before_, *info_)) violations_->add("info", "a row that was there has changed");
    if (const auto missing = undescribed_in(*info_); !missing.empty()) {
      violations_->add("info", "it does not describe " + missing);
    }
    before_ = *info_;
  }

  void check(const Event& event) {
    const std::string where = "event " + std::to_string(number_++) + " (" + std::string(name_of(event.type)) + ")";
    if (const auto missing = undescribed(event, *info_); !missing.empty()) {
      violations_->add("info", where + " names " + missing + ", which the info does not describe");
      return;
    }
    order_.take(event, *info_, where, violations_);
  }

  void check_losses() {
    for (const auto& loss : losses_.losses) {
      if (loss.reason.empty()) violations_->add("losses", "a loss gives no reason");
      if (loss.events == 0) violations_->add("losses", "a loss of no events is reported: '" + loss.reason + "'");
    }
    if (losses_.seen != delivered_.size() + losses_.lost()) {
      violations_->add("losses", "seen " + std::to_string(losses_.seen) + ", but delivered " +
                                     std::to_string(delivered_.size()) + " and lost " + std::to_string(losses_.lost()));
    }
  }

  Violations* violations_;
  const TraceInfo* info_ = nullptr;
  TraceInfo before_;  // the info as it was at the last call
  OrderCheck order_;
  std::size_t number_ = 0;
  bool ended_ = false;
  std::vector<Event> delivered_;
  LossReport losses_;
};

// Runs a new source once under the checks above.
void run_once(const SourceFactory& make, CheckingSink* sink, Violations* violations) {
  const auto source = make();
  const auto result = source->run(*sink);
  if (!result) violations->add("run", "it returned an error: " + result.error().what);
  if (result) sink->check_ended();
}

bool same_bytes(const std::vector<Event>& a, const std::vector<Event>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Event)) == 0);
}

bool same_losses(const LossReport& a, const LossReport& b) {
  const auto same = [](const Loss& x, const Loss& y) { return x.reason == y.reason && x.events == y.events; };
  return a.seen == b.seen && a.warnings == b.warnings &&
         std::equal(a.losses.begin(), a.losses.end(), b.losses.begin(), b.losses.end(), same);
}

}  // namespace

std::vector<std::string> check_source_contract(const SourceFactory& make, SourcePromises promises) {
  Violations violations;
  CheckingSink first(&violations);
  run_once(make, &first, &violations);

  if (promises.same_bytes_again) {
    Violations ignored;  // the second run breaks what the first broke; only the difference is of interest
    CheckingSink again(&ignored);
    run_once(make, &again, &ignored);
    if (!same_bytes(first.delivered(), again.delivered()))
      violations.add("same bytes", "a second run delivered other events");
    if (!same_losses(first.losses(), again.losses()))
      violations.add("same bytes", "a second run reported other losses");
  }
  return violations.take();
}

}  // namespace dpm
