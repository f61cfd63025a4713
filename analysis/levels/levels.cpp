#include "analysis/levels/levels.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "model/check.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {
namespace {

std::uint64_t part_of(std::uint64_t amount, std::int64_t numerator, std::int64_t denominator) {
  if (amount == 0 || numerator >= denominator) return amount;
  const double share = static_cast<double>(numerator) / static_cast<double>(denominator);
  const auto part = static_cast<std::uint64_t>(static_cast<double>(amount) * share);
  return std::min(part, amount);
}

// Within 73 years of the clock's zero, so that sums and differences of times fit an integer: a trace may be hostile.

LocalTime possible(LocalTime time) { return {std::clamp(time.ns, -kTimeEndNs, kTimeEndNs)}; }

// Made coarse for each event that comes: with points of 24 bytes, and events that add 300 at most, the curves grow by a fifth
// of the budget until all have been looked at.
constexpr std::size_t kPointsOfEvent = 32;
constexpr std::size_t kPointsOfCurve = 16;  // it costs as much as these to come to another curve

constexpr std::size_t kNoStream = ~std::size_t{0};

bool is_message(const Event& event) { return (event.flags & event_flags::kNoMessage) == 0; }

}  // namespace

ProcessAmounts ProcessAmounts::part(std::int64_t numerator, std::int64_t denominator) const {
  return {.cpu_ns = part_of(cpu_ns, numerator, denominator),
          .waiting_ns = part_of(waiting_ns, numerator, denominator),
          .queue_ns = part_of(queue_ns, numerator, denominator)};
}

ProcessAmounts& ProcessAmounts::operator+=(const ProcessAmounts& other) {
  cpu_ns += other.cpu_ns, waiting_ns += other.waiting_ns, queue_ns += other.queue_ns;
  sent += other.sent, received += other.received;
  sent_bytes += other.sent_bytes, received_bytes += other.received_bytes;
  return *this;
}

ProcessAmounts& ProcessAmounts::operator-=(const ProcessAmounts& other) {
  cpu_ns -= other.cpu_ns, waiting_ns -= other.waiting_ns, queue_ns -= other.queue_ns;
  sent -= other.sent, received -= other.received;
  sent_bytes -= other.sent_bytes, received_bytes -= other.received_bytes;
  return *this;
}

PairAmounts& PairAmounts::operator+=(const PairAmounts& other) {
  messages += other.messages, bytes += other.bytes;
  return *this;
}

PairAmounts& PairAmounts::operator-=(const PairAmounts& other) {
  messages -= other.messages, bytes -= other.bytes;
  return *this;
}

void LevelsAnalysis::on_events(std::span<const Event> batch) {
  DPM_CHECK(info_ != nullptr);
  for (const Event& event : batch) {
    if (event.process.is_none() || event.machine.is_none()) continue;
    if (possible(event.local_time) == event.local_time) {
      take(event);
    } else {
      Event moved = event;
      moved.local_time = possible(event.local_time);
      take(moved);
    }
  }
  if (!coarsening_ && bytes_ > options_.bytes_max / 2) begin_to_fit();
  if (coarsening_) fit(batch.size() * kPointsOfEvent);
}

void LevelsAnalysis::on_end(const LossReport& /*losses*/) {
  settle_offsets();
  info_ = nullptr;
}

void LevelsAnalysis::take(const Event& event) {
  ++events_;
  offsets_.note(event, *info_);
  if (event.type == EventType::summary) return machines_.add(event);
  if (event.process.value >= processes_.size()) processes_.resize(event.process.value + 1u);
  Process& process = processes_[event.process.value];
  pass_time(process, event);
  if (is_message(event)) count(process, event);
  // Others did it, or the meter found out later: the process goes on with what it did.
  if (event.type == EventType::message_queued || event.type == EventType::gap) return;
  process.doing = event.type == EventType::receive_call      ? Doing::waits_for_message
                  : event.type == EventType::destroy_process ? Doing::ended
                                                             : Doing::not_known;
}

void LevelsAnalysis::count_message(const Event& event) {
  if (event.process.value >= processes_.size() || !is_message(event)) return;
  Process& process = processes_[event.process.value];
  if (process.doing != Doing::not_seen) count(process, event);
}

template <typename Amounts, typename Change>
void LevelsAnalysis::change(Curve<Amounts>& curve, Change&& how) {
  const std::size_t before = curve.bytes();
  how(curve);
  bytes_ += curve.bytes() - before;
}

// On the machine of the event, which it has not been on, or not now. What it did between the machines has no time.
Curve<ProcessAmounts>& LevelsAnalysis::begin_stay(Process& process, const Event& event) {
  const bool is_first = process.doing == Doing::not_seen;
  process.current = process.stays.on(event.machine);
  Curve<ProcessAmounts>& curve = process.stays[process.current].curve;
  process.last = curve.empty() ? event.local_time : std::max(curve.until(), event.local_time);
  if (!is_first) return curve;
  process.first = event.local_time;
  process.first_machine = event.machine;
  const std::uint64_t used_ns = was_acquired(*info_, event.process) ? 0 : event.proc_time_ns;
  process.last = possible({process.last.ns - static_cast<std::int64_t>(std::min<std::uint64_t>(used_ns, kTimeEndNs))});
  return curve;
}

// From its last event to this one: CPU time, waiting, queue.
void LevelsAnalysis::pass_time(Process& process, const Event& event) {
  const bool stays = process.doing != Doing::not_seen && process.stays[process.current].machine == event.machine;
  Curve<ProcessAmounts>& curve = stays ? process.stays[process.current].curve : begin_stay(process, event);
  const LocalTime from = process.last, to = std::max(from, event.local_time);  // a clock may be set back
  const auto elapsed_ns = static_cast<std::uint64_t>(to.ns - from.ns);
  ProcessAmounts amounts;
  amounts.cpu_ns = cpu_between_ns(process.proc_time_ns, event.proc_time_ns, was_acquired(*info_, event.process));
  process.proc_time_ns = std::max(process.proc_time_ns, event.proc_time_ns);
  if (process.doing == Doing::waits_for_message) amounts.waiting_ns = elapsed_ns - std::min(elapsed_ns, amounts.cpu_ns);
  if (process.doing == Doing::waits_for_message && event.type == EventType::receive)
    process.waits.add(amounts.waiting_ns);
  amounts.queue_ns = process.queue_length * elapsed_ns;
  const std::uint64_t waited_ns = event.type == EventType::wait ? std::min(event.sequence, elapsed_ns) : 0;
  change(curve, [&](auto& of) {
    if (waited_ns > 0 && waited_ns < elapsed_ns) {
      ProcessAmounts wait;
      wait.waiting_ns = waited_ns;
      wait.queue_ns = process.queue_length * waited_ns;
      amounts.queue_ns -= wait.queue_ns;
      amounts.waiting_ns -= std::min(amounts.waiting_ns, waited_ns);
      const LocalTime since{to.ns - static_cast<std::int64_t>(waited_ns)};
      of.add_over(from, since, amounts, options_.finest_ns);
      of.add_over(since, to, wait, options_.finest_ns);
    } else {
      if (waited_ns > 0) amounts.waiting_ns = waited_ns - std::min(waited_ns, amounts.cpu_ns);
      of.add_over(from, to, amounts, options_.finest_ns);
    }
  });
  process.last = to;
}

void LevelsAnalysis::count(Process& process, const Event& event) {
  ProcessAmounts& sum = process.stays[process.current].curve.sum();
  if (event.type == EventType::send) {
    ++sum.sent;
    sum.sent_bytes += event.length_bytes;
    note_sender(event);
    count_pair(pair_of(event.process, event.peer, process.last_sent), event, process.last);
  } else if (event.type == EventType::receive) {
    ++sum.received;
    sum.received_bytes += event.length_bytes;
    if (process.has_queue && process.queue_length > 0) --process.queue_length;
    if (event.peer.is_none() && stream_of(event) != kNoStream) return count_alone(event, process.last);
    const std::size_t pair = pair_of(event.peer, event.process, process.last_received);
    if (!pairs_[pair].by_send) count_pair(pair, event, process.last);
  } else if (event.type == EventType::message_queued) {
    process.has_queue = true;
    ++process.queue_length;
  }
}

// `last` is the pair of the process's last message of this kind: often it is the same again.
std::size_t LevelsAnalysis::pair_of(ProcessId from, ProcessId to, std::size_t& last) {
  if (last < pairs_.size() && pairs_[last].ends.from == from && pairs_[last].ends.to == to) return last;
  if (const auto known = pair_numbers_.find(from, to)) return last = *known;
  const bool is_full = pairs_.size() >= options_.pairs_max;
  const Ends ends = is_full ? Ends{} : Ends{from, to};
  const auto rest = is_full ? pair_numbers_.find(ends.from, ends.to) : std::nullopt;
  if (rest) return last = *rest;
  pair_numbers_.add(ends.from, ends.to, pairs_.size());
  pairs_.push_back({ends, false, {}});
  return last = pairs_.size() - 1;
}

// The channel of an event, if its messages have no numbers.
std::size_t LevelsAnalysis::stream_of(const Event& event) const {
  const std::size_t channel = event.channel.value;
  return channel < info_->channels.size() && (*info_)[event.channel].kind != ChannelKind::numbered ? channel
                                                                                                   : kNoStream;
}

// The SENDs of a stream count; what its RECEIVEs have counted until now does not.
void LevelsAnalysis::note_sender(const Event& event) {
  const std::size_t channel = stream_of(event);
  if (channel == kNoStream) return;
  if (channel >= streams_.size()) streams_.resize(info_->channels.size());
  Stream& stream = streams_[channel];
  if (stream.has_sender) return;
  stream.has_sender = true;
  if (stream.alone >= pairs_.size()) return;
  Pair& pair = pairs_[stream.alone];
  for (std::size_t i = 0; i < pair.stays.size(); ++i) bytes_ -= pair.stays[i].curve.bytes();
  pair.stays.clear();
}

void LevelsAnalysis::count_alone(const Event& event, LocalTime time) {
  const std::size_t channel = stream_of(event);
  if (channel >= streams_.size()) streams_.resize(info_->channels.size());
  Stream& stream = streams_[channel];
  if (stream.has_sender) return;
  if (stream.alone >= pairs_.size()) {
    if (pairs_.size() >= options_.pairs_max) return;
    stream.alone = pairs_.size();
    pairs_.push_back({{ProcessId{}, event.process}, false, {}});
  }
  count_pair(stream.alone, event, time);
}

void LevelsAnalysis::count_pair(std::size_t number, const Event& event, LocalTime time) {
  Pair& pair = pairs_[number];
  if (event.type == EventType::send && !pair.by_send) {  // until now counted by its RECEIVEs
    for (std::size_t i = 0; i < pair.stays.size(); ++i) bytes_ -= pair.stays[i].curve.bytes();
    pair.stays.clear();
    pair.by_send = true;
  }
  auto& stay = pair.stays[pair.stays.on(event.machine)];
  change(stay.curve, [&](auto& of) {
    of.add_over(time, time, {}, options_.finest_ns);
    of.sum() += {1, event.length_bytes};
  });
}

// What goes on since its last event, and is in no curve yet.
ProcessAmounts LevelsAnalysis::still_open(const Process& process, LocalTime time) const {
  ProcessAmounts open;
  if (process.doing == Doing::ended) return open;
  const auto& stay = process.stays[process.current];
  const LocalTime begin = stay.curve.until(), end = std::min(time, offsets_.last_of(stay.machine));
  if (end <= begin) return open;
  const auto elapsed_ns = static_cast<std::uint64_t>(end.ns - begin.ns);
  if (process.doing == Doing::waits_for_message) open.waiting_ns = elapsed_ns;
  open.queue_ns = process.queue_length * elapsed_ns;
  return open;
}

std::vector<ProcessAmounts> LevelsAnalysis::of(ProcessId id, std::span<const RunTime> edges) const {
  DPM_CHECK(!edges.empty());
  std::vector<ProcessAmounts> amounts(edges.size() - 1);
  if (doing(id) == Doing::not_seen) return amounts;
  const Process& process = processes_[id.value];
  for (std::size_t s = 0; s < process.stays.size(); ++s) {
    const auto& stay = process.stays[s];
    std::size_t hint = 0;
    ProcessAmounts before;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const LocalTime time = offsets_.local_time(stay.machine, edges[i]);
      ProcessAmounts now = stay.curve.at(time, hint);
      if (s == process.current) now += still_open(process, time);
      if (i > 0) (amounts[i - 1] += now) -= before;
      before = now;
    }
  }
  return amounts;
}

std::vector<PairAmounts> LevelsAnalysis::of_pair(std::size_t pair, std::span<const RunTime> edges) const {
  DPM_CHECK(!edges.empty() && pair < pairs_.size());
  std::vector<PairAmounts> amounts(edges.size() - 1);
  const auto& stays = pairs_[pair].stays;
  for (std::size_t s = 0; s < stays.size(); ++s) {
    const auto& stay = stays[s];
    std::size_t hint = 0;
    PairAmounts before;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const PairAmounts now = stay.curve.at(offsets_.local_time(stay.machine, edges[i]), hint);
      if (i > 0) (amounts[i - 1] += now) -= before;
      before = now;
    }
  }
  return amounts;
}

LevelsAnalysis::Doing LevelsAnalysis::doing(ProcessId process) const {
  return process.value < processes_.size() ? processes_[process.value].doing : Doing::not_seen;
}

bool LevelsAnalysis::has_queue(ProcessId process) const {
  return process.value < processes_.size() && processes_[process.value].has_queue;
}

std::uint64_t LevelsAnalysis::queue_length(ProcessId process) const {
  return process.value < processes_.size() ? processes_[process.value].queue_length : 0;
}

std::optional<RunTime> LevelsAnalysis::first_of(ProcessId id) const {
  if (doing(id) == Doing::not_seen) return std::nullopt;
  const Process& process = processes_[id.value];
  return offsets_.run_time(process.first_machine, process.first);
}

std::optional<RunTime> LevelsAnalysis::last_of(ProcessId id) const {
  if (doing(id) == Doing::not_seen) return std::nullopt;
  const Process& process = processes_[id.value];
  return offsets_.run_time(process.stays[process.current].machine, process.last);
}

MachineId LevelsAnalysis::machine_of(ProcessId id) const {
  if (doing(id) == Doing::not_seen) return {};
  return processes_[id.value].stays[processes_[id.value].current].machine;
}

WaitCounts LevelsAnalysis::waits_of(ProcessId id) const {
  return id.value < processes_.size() ? processes_[id.value].waits : WaitCounts{};
}

std::int64_t LevelsAnalysis::width_ns_at(RunTime from) const {
  return coarse_until_ && from < *coarse_until_ ? coarse_ns_ : options_.finest_ns;
}

// Of processes and of pairs, each some thousands at most, and how many it stands for: many are like few.
template <typename Each>
void LevelsAnalysis::for_some_curves(Each&& each) const {
  constexpr std::size_t kMost = 2048;
  const auto some_of = [&](const auto& owners) {
    const std::size_t step = owners.size() / kMost + 1;
    for (std::size_t i = 0; i < owners.size(); i += step)
      for (std::size_t s = 0; s < owners[i].stays.size(); ++s)
        each(owners[i].stays[s].machine, owners[i].stays[s].curve, step);
  };
  some_of(processes_);
  some_of(pairs_);
}

// About the moment after which the points take an eighth of the budget.
RunTime LevelsAnalysis::begin_of_newest() const {
  std::int64_t low_ns = std::numeric_limits<std::int64_t>::max(), high_ns = std::numeric_limits<std::int64_t>::min();
  for_some_curves([&](MachineId machine, const auto& curve, std::size_t) {
    if (curve.empty()) return;
    low_ns = std::min(low_ns, offsets_.run_time(machine, curve.begin()).ns);
    high_ns = std::max(high_ns, offsets_.run_time(machine, curve.until()).ns);
  });
  if (coarse_until_) low_ns = std::max(low_ns, coarse_until_->ns);
  for (int halving = 0; halving < 10 && high_ns - low_ns > options_.finest_ns; ++halving) {
    const std::int64_t middle_ns = low_ns + (high_ns - low_ns) / 2;
    std::size_t newer = 0;
    for_some_curves([&](MachineId machine, const auto& curve, std::size_t stands_for) {
      newer += stands_for * curve.bytes_after(offsets_.local_time(machine, {middle_ns}));
    });
    (newer > options_.bytes_max / 8 ? low_ns : high_ns) = middle_ns;
  }
  return {high_ns};
}

// All bins until the newest become as coarse as the others.
void LevelsAnalysis::begin_to_fit() {
  offsets_.settle();
  const RunTime until = begin_of_newest();
  coarsening_ = Coarsening{.done = coarse_until_};
  coarse_until_ = coarse_until_ ? std::max(*coarse_until_, until) : until;
}

// The curves of one owner, up to where bins are coarse now. Returns how many points were looked at.
template <typename Amounts>
std::size_t LevelsAnalysis::coarsen(Stays<Amounts>& stays) {
  const auto floor_to = [](LocalTime time, std::int64_t width_ns) {
    return LocalTime{floor_divide(time.ns, width_ns) * width_ns};
  };
  std::size_t points = kPointsOfCurve;
  for (std::size_t i = 0; i < stays.size(); ++i) {
    const MachineId machine = stays[i].machine;
    const LocalTime limit = floor_to(offsets_.local_time(machine, *coarse_until_), options_.finest_ns);
    const LocalTime from = coarsening_->done ? floor_to(offsets_.local_time(machine, *coarsening_->done), coarse_ns_)
                                             : LocalTime{-kTimeEndNs * 2};
    change(stays[i].curve, [&](auto& curve) {
      points += curve.bytes_after(from) / sizeof(typename Curve<Amounts>::Point);
      curve.coarsen(from, limit, coarse_ns_, options_.finest_ns);
    });
  }
  return points;
}

// A quarter of the budget is left at last, and the next quarter is for what comes: each event is made coarse a few times at
// most. It ends: in the end each curve has a few points, which is more only if the budget is less than a kilobyte a curve.
void LevelsAnalysis::fit(std::size_t points) {
  constexpr std::int64_t kCoarsestNs = std::int64_t{1} << 56;
  std::size_t done = 0;
  while (done < points) {
    if (coarsening_->processes < processes_.size()) {
      done += coarsen(processes_[coarsening_->processes++].stays);
    } else if (coarsening_->pairs < pairs_.size()) {
      done += coarsen(pairs_[coarsening_->pairs++].stays);
    } else if (bytes_ > options_.bytes_max / 4 && coarse_ns_ < kCoarsestNs) {
      // Bins that are twice as wide leave half of the points at best.
      coarse_ns_ *= static_cast<std::int64_t>(std::bit_ceil(bytes_ / (options_.bytes_max / 4 + 1) + 1));
      coarsening_ = Coarsening{};
    } else {
      coarsening_.reset();
      return;
    }
  }
}

std::size_t LevelsAnalysis::bytes() const {
  std::size_t bytes = 0;
  const auto add = [&](const auto& owners) {
    for (const auto& owner : owners)
      for (std::size_t i = 0; i < owner.stays.size(); ++i) bytes += owner.stays[i].curve.bytes_reserved();
  };
  add(processes_);
  add(pairs_);
  return bytes;
}

}  // namespace dpm
