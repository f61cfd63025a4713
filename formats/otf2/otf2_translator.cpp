#include "formats/otf2/otf2_translator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/counted.hpp"

namespace dpm {
namespace {

constexpr std::size_t kBatch = 4096;
constexpr std::int64_t kTimeEndNs = std::int64_t{1} << 62;

}  // namespace

void Otf2Translator::set_clock(std::uint64_t ticks_per_second, std::uint64_t offset) {
  ticks_per_second_ = std::max<std::uint64_t>(ticks_per_second, 1);
  offset_ = offset;
}

void Otf2Translator::enter(std::uint64_t location, std::uint64_t ticks, std::uint32_t region) {
  Place* at = place(location, ticks);
  if (at == nullptr || !places_.is_wait(region)) return;
  if (at->waits++ == 0) {
    at->cpu_ns += at->now_ns - at->computed_since_ns;
    at->entered_ns = at->now_ns;
    at->asked = false;
  }
}

void Otf2Translator::leave(std::uint64_t location, std::uint64_t ticks, std::uint32_t region) {
  Place* at = place(location, ticks);
  if (at == nullptr || !places_.is_wait(region) || at->waits == 0) return;
  if (--at->waits == 0) at->computed_since_ns = at->now_ns;
}

void Otf2Translator::message(EventType type, std::uint64_t location, std::uint64_t ticks, const Message& message) {
  Place* at = place(location, ticks);
  const auto peer = places_.process_of(message.communicator, message.rank);
  if (at == nullptr || !peer) {
    ++unknown_;
    return;
  }
  ++messages_;
  const bool sends = type == EventType::send;
  if (!sends && !at->asked) {
    add(EventType::receive_call, *at, at->waits > 0 ? std::max(at->entered_ns, at->last_event_ns) : at->now_ns);
    at->asked = true;
  }
  Numbers& numbers = channel(sends ? at->process : *peer, sends ? *peer : at->process, message);
  Event& event = add(type, *at, at->now_ns);
  event.peer = *peer;
  event.channel = numbers.channel;
  event.sequence = sends ? numbers.sent++ : numbers.received++;
  event.length_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(message.bytes, UINT32_MAX));
  event.code = message.tag;
  if (events_.size() >= kBatch) pass();
}

void Otf2Translator::pass() {
  seen_ += events_.size();
  if (!events_.empty()) sink_->on_events(events_);
  events_.clear();
}

ImportReport Otf2Translator::report() const {
  ImportReport report;
  report.read.push_back({"ends of messages", messages_});
  report.leave_out(
      "collective operations of processes: a barrier or a reduction is not a message of one process to another",
      collectives_);
  report.notes.push_back(
      "CPU time is inferred: it is the time outside of MPI, whether the process had a CPU or waited for one");
  report.unknown.push_back(ImportUnknown::cpu_waits);
  report.no_messages =
      collectives_ > 0 ? "the archive has collective operations of MPI only"
                       : "the archive has no messages of MPI: the program was recorded without MPI, or had one process";
  return report;
}

LossReport Otf2Translator::losses() const {
  LossReport losses;
  losses.seen = seen_ + unknown_;
  if (unknown_ > 0)
    losses.losses.push_back({"messages of ranks or locations that the archive does not define", unknown_});
  losses.warnings = warnings_of(report());
  return losses;
}

std::int64_t Otf2Translator::ns_of(std::uint64_t ticks) const {
  const std::uint64_t since = ticks - std::min(ticks, offset_);
  const double seconds = static_cast<double>(since) / static_cast<double>(ticks_per_second_);
  if (ticks_per_second_ == 1'000'000'000)
    return static_cast<std::int64_t>(std::min<std::uint64_t>(since, kTimeEndNs - 1));
  return static_cast<std::int64_t>(std::min(seconds * 1e9, static_cast<double>(kTimeEndNs - 1)));
}

Otf2Translator::Place* Otf2Translator::place(std::uint64_t location, std::uint64_t ticks) {
  const auto process = places_.process_of(location);
  if (!process) return nullptr;
  Place& at = by_location_[location];
  at.process = *process;
  at.now_ns = std::max(at.now_ns, ns_of(ticks));
  if (!at.seen) at.computed_since_ns = at.now_ns;
  at.seen = true;
  return &at;
}

Event& Otf2Translator::add(EventType type, Place& at, std::int64_t time_ns) {
  Event event;
  event.type = type;
  event.process = at.process;
  event.machine = info_[at.process].machine;
  event.local_time.ns = time_ns;
  event.proc_time_ns = static_cast<std::uint64_t>(at.cpu_ns + (at.waits == 0 ? at.now_ns - at.computed_since_ns : 0));
  at.last_event_ns = time_ns;
  events_.push_back(event);
  return events_.back();
}

Otf2Translator::Numbers& Otf2Translator::channel(ProcessId from, ProcessId to, const Message& message) {
  const auto [found, is_new] = channels_.try_emplace({from, to, message.communicator, message.tag});
  if (is_new) {
    found->second.channel = ChannelId{static_cast<std::uint32_t>(info_.channels.size())};
    info_.channels.push_back({to, fmt::format("tag {} of communicator {}", message.tag, message.communicator)});
  }
  return found->second;
}

}  // namespace dpm
