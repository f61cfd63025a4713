#include "trace/read_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/counted.hpp"

namespace dpm {
namespace {

// Of a stream whose records were not yet counted in trace.json: only packets before a sound one are numbered.
std::string unknown_loss(const StreamOutcome& outcome) {
  std::string missing;
  if (const auto packets = outcome.packets_missing; packets > 0)
    missing = fmt::format("lacks {} packet{} in its middle", packets, packets == 1 ? "" : "s");
  const char* joint = missing.empty() || outcome.damage.empty() ? "" : ", ";
  return fmt::format("{}{}{}; how many events are missing is not known", outcome.damage, joint, missing);
}

std::uint64_t sum_of(const std::vector<Loss>& losses) {
  std::uint64_t sum = 0;
  for (const auto& loss : losses) sum += loss.events;
  return sum;
}

// Of a trace whose recorder has not written its own.
Ledger unfinished_ledger(const TraceRead& read) {
  Ledger ledger;
  ledger.kept = ledger.seen = read.delivered + read.removed + sum_of(read.losses);
  if (read.is_partial && !read.being_recorded) {
    ledger.warnings.push_back("the trace is still being read: later events are not counted");
    return ledger;
  }
  const char* why = read.being_recorded ? "the trace is still being recorded"
                                        : "the recorder was killed, or the trace copied while it was at work";
  ledger.warnings.push_back(std::string(why) +
                            ": the events that it had not yet written, and those that it filtered, are not known");
  return ledger;
}

// What was delivered to the filter, and is not in its log.
std::vector<Loss> missing_events(const DeliveryReport& deliveries, std::uint64_t in_log) {
  std::uint64_t missing = deliveries.delivered() - std::min(deliveries.delivered(), in_log);
  if (missing == 0) return {};
  const FilterAccount& account = deliveries.account;
  const std::string unwritten = "delivered to the filter, which could not write them";
  if (!account.problem.empty()) return {{fmt::format("{}: {}", unwritten, account.problem), missing}};
  std::vector<Loss> losses;
  if (const auto refused = std::min(missing, account.unwritten); refused > 0) losses.push_back({unwritten, refused});
  missing -= std::min(missing, account.unwritten);
  const std::string why = deliveries.filter_ended.empty()
                              ? "delivered to the filter, and not in its log when that was fetched"
                              : "delivered to the filter, which had not written them when it ended: ";
  if (missing > 0) losses.push_back({why + deliveries.filter_ended, missing});
  return losses;
}

// The same, of the log of a filter whose collector has counted what it delivered.
Ledger delivered_ledger(const TraceRead& read, const DeliveryReport& deliveries, std::uint64_t known_filtered) {
  Ledger ledger;
  ledger.kept = read.delivered + read.removed + sum_of(read.losses);
  ledger.filtered = std::max(known_filtered, deliveries.account.filtered);
  ledger.losses = missing_events(deliveries, ledger.kept + ledger.filtered);
  bool has_open_meters = false;
  for (const auto& meter : deliveries.meters) {
    has_open_meters |= !meter.ended;
    for (const auto& loss : meter.losses)
      ledger.losses.push_back({fmt::format("{}: {}", meter_name(meter.meter), loss.reason), loss.events});
  }
  if (has_open_meters)
    ledger.warnings.push_back(
        "the filter or a meter was killed, or the log fetched while they were at work: later events are not known");
  return ledger;
}

// Of the log of a standard filter that is not being written any more: what counts beside its trace. Null if that is whole.
const DeliveryReport* deliveries_beyond(const Sidecar& sidecar, const TraceRead& read) {
  if (sidecar.finished || read.being_recorded || read.is_partial || !read.deliveries || !read.deliveries->is_standard)
    return nullptr;
  std::uint64_t known = read.deliveries->delivered();
  for (const auto& meter : read.deliveries->meters) known += sum_of(meter.losses);
  return sidecar.paused && known <= sidecar.ledger.seen ? nullptr : &*read.deliveries;
}

}  // namespace

std::string begins_in_the_middle(const Ledger& ledger, Duration window) {
  return fmt::format(
      "the trace begins in the middle: --window kept about the last {:g} s and removed {} of {} again; messages, waits "
      "and CPU time before that are not counted, and messages that were in transit then have one end",
      window.seconds(), ledger.removed, counted(ledger.kept, "kept event"));
}

void add_losses(const StreamSummary& stream, const StreamOutcome& found, bool finished, std::vector<Loss>& losses) {
  const std::string name = fmt::format("stream {} ", stream.file);
  if (found.no_event > 0) losses.push_back({name + "has records of types that no analysis knows", found.no_event});
  if (found.malformed > 0) losses.push_back({name + "has records that make no sense", found.malformed});
  const std::uint64_t read = found.records + found.no_event + found.malformed;
  if (read < stream.records) {
    std::string reason = found.damage;
    if (reason.empty()) reason = found.packets_missing > 0 ? "lacks packets in its middle" : "is cut short";
    losses.push_back({name + reason, stream.records - read});
  } else if ((!found.damage.empty() || found.packets_missing > 0) && !finished) {
    losses.push_back({name + unknown_loss(found), 0});
  }
}

Ledger ledger_of(const Sidecar& sidecar, const TraceRead& read) {
  const bool is_recorded = sidecar.finished || (sidecar.paused && read.losses.empty() &&
                                                read.delivered + read.removed == sidecar.ledger.kept);
  const DeliveryReport* deliveries = deliveries_beyond(sidecar, read);
  const bool is_complete = is_recorded && !read.is_partial && deliveries == nullptr;
  Ledger ledger = is_complete             ? sidecar.ledger
                  : deliveries == nullptr ? unfinished_ledger(read)
                                          : delivered_ledger(read, *deliveries, sidecar.ledger.filtered);
  std::vector<Loss> losses = read.losses;
  const std::uint64_t explained = read.delivered + read.removed + sum_of(losses);
  if (explained < ledger.kept)
    losses.push_back({"the trace holds fewer records than its ledger says", ledger.kept - explained});
  if (explained > ledger.kept)
    ledger.warnings.push_back("the trace holds more records than its ledger says: the ledger was corrected");
  ledger.kept = read.delivered + read.removed;
  ledger.removed = read.removed;
  if (read.removed > 0) ledger.warnings.push_back(begins_in_the_middle(ledger, {sidecar.window_ns}));
  ledger.losses.insert(ledger.losses.end(), losses.begin(), losses.end());
  ledger.losses.insert(ledger.losses.end(), read.undelivered.begin(), read.undelivered.end());
  ledger.lost = sum_of(ledger.losses);
  ledger.seen = ledger.kept + ledger.filtered + ledger.lost;
  return ledger;
}

}  // namespace dpm
