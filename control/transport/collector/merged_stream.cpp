#include "control/transport/collector/merged_stream.hpp"

#include <algorithm>
#include <utility>

namespace dpm {
namespace {

std::uint64_t total(const std::vector<Loss>& losses) {
  std::uint64_t events = 0;
  for (const auto& loss : losses) events += loss.events;
  return events;
}

bool are_all_of(const TraceGrowth& growth, const std::string& machine) {
  const auto is_it = [&](const MachineInfo& each) { return each.name == machine; };
  return std::all_of(growth.machines.begin(), growth.machines.end(), is_it) &&
         std::all_of(growth.machines_again.begin(), growth.machines_again.end(),
                     [&](const auto& again) { return is_it(again.entry); });
}

}  // namespace

Result<MergedStream::Registered> MergedStream::register_meter(const wire::Hello& hello, const MeterScope& proved) {
  if (hello.identity.machine != proved.machine) return Error{"it is a meter of another machine"};
  if (const auto found = by_key_.find(hello.key); found != by_key_.end()) {
    const Meter& meter = *meters_[found->second];
    if (meter.has_other_machine || meter.identity.machine != proved.machine || meter.identity.job != proved.job)
      return Error{"it says that it is a meter of another machine or job"};
    // Before its first message, the meter may not know yet that we know it.
    const bool known = meter.names > 0 || meter.events > meter.first_event || meter.account;
    return Registered{found->second, {known, meter.names, meter.events, meter.passed.names, meter.passed.events}};
  }
  const auto number = static_cast<std::uint32_t>(meters_.size());
  auto meter = std::make_unique<Meter>();
  meter->key = hello.key;
  meter->identity = hello.identity;
  meter->identity.job = proved.job;
  meter->first_event = meter->events = meter->passed.events = hello.first_event;
  by_key_[hello.key] = number;
  meters_.push_back(std::move(meter));
  if (gone_.empty()) {
    append_meter(stream_, number, meters_.back()->identity);
    mark(number, *meters_.back());
  }
  return Registered{number, {false, 0, hello.first_event, 0, hello.first_event}};
}

Result<void> MergedStream::take(std::uint32_t number, wire::MeterFrame frame) {
  Meter& meter = *meters_.at(number);
  if (meter.has_other_machine) return Error{"it has announced events of another machine"};
  Result<void> taken;
  if (const auto* names = std::get_if<wire::Names>(&frame)) {
    if (names->number > meter.names) return Error{"names are missing"};
    if (names->number < meter.names) return {};
    taken = take_names(meter, names->text);
    ++meter.names;
    if (gone_.empty()) mark(number, meter);
  } else if (const auto* events = std::get_if<wire::Events>(&frame)) {
    taken = take_events(number, meter, *events);
  } else if (auto* over = std::get_if<wire::Over>(&frame)) {
    if (!meter.account) take_over(number, meter, std::move(over->account));
    return {};
  } else {
    return Error{"it sends a frame that only collectors send"};
  }
  return taken;
}

// Takes the lines before a damaged one.
Result<void> MergedStream::take_names(Meter& meter, std::string_view text) {
  TraceGrowth growth;
  auto read = read_names(text, meter.known, growth);
  if (!are_all_of(growth, meter.identity.machine)) {
    meter.has_other_machine = true;
    return Error{"it announces events of another machine"};
  }
  if (!gone_.empty() || meter.account) return read;
  if (!meter.input) meter.input = union_.add(meter.identity.machine + " " + std::to_string(meter.identity.pid));
  union_.grow(*meter.input, growth);
  append_new_names();
  return read;
}

Result<void> MergedStream::take_events(std::uint32_t number, Meter& meter, const wire::Events& events) {
  if (events.first > meter.events) return Error{"events are missing"};
  const std::uint64_t known = meter.events - events.first;
  if (known >= events.count()) return {};
  if (meter.account) return Error{"it continues after its end"};
  meter.events = events.first + events.count();
  if (!gone_.empty()) return {};
  batch_.clear();
  merged_.clear();
  const auto bytes = std::as_bytes(std::span(events.messages));
  for (std::uint64_t i = known; i < events.count(); ++i) {
    const auto event = decode_meter_message(bytes.subspan(i * kMeterMessageBytes, kMeterMessageBytes));
    if (event) batch_.push_back(*event);
  }
  // Without an input, the names that the events use have not come.
  if (meter.input) union_.remap(*meter.input, batch_, merged_);
  for (const Event& event : merged_) append_event(stream_, event);
  meter.understood += merged_.size();
  mark(number, meter, merged_.size() == events.count() - known ? merged_.size() : 0);
  return {};
}

void MergedStream::take_over(std::uint32_t number, Meter& meter, MeterAccount account) {
  account.seen -= std::min(account.seen, meter.first_event);
  account.delivered = meter.understood;
  meter.account = std::move(account);
  if (meter.input) union_.finish(*meter.input);
  meter.input.reset();
  if (!gone_.empty()) {
    meter.passed = {meter.names, meter.passed.events, true};
    return;
  }
  MeterAccount told = *meter.account;
  told.losses = losses_of(meter);
  append_meter_end(stream_, number, told);
  mark(number, meter);
}

void MergedStream::append_new_names() {
  for (const auto& text : to_names(union_.take_growth(), told_)) append_names(stream_, text);
}

void MergedStream::finish() {
  if (!gone_.empty()) return;
  append_stream_end(stream_);
}

void MergedStream::mark(std::uint32_t number, const Meter& meter, std::uint64_t last_events) {
  const std::uint64_t end = position_ + (stream_.size() - written_);
  const wire::Ack reached{meter.names, meter.events, meter.account.has_value()};
  marks_.push_back({end, number, reached, meter.understood, last_events});
  if (written_ == stream_.size()) passed(0);
}

void MergedStream::passed(std::size_t bytes) {
  written_ += bytes;
  position_ += bytes;
  if (written_ == stream_.size()) {
    stream_.clear();
    written_ = 0;
  } else if (written_ > (std::size_t{1} << 20)) {
    stream_.erase(0, std::exchange(written_, 0));
  }
  while (!marks_.empty() && marks_.front().position <= position_) {
    Meter& meter = *meters_[marks_.front().meter];
    meter.passed = marks_.front().passed;
    meter.delivered = marks_.front().delivered;
    marks_.pop_front();
  }
}

// The events of a frame that the filter took before the pipe was full, or before it ended.
void MergedStream::pass_part_of_frame() {
  if (marks_.empty()) return;
  const Mark& front = marks_.front();
  const std::uint64_t missing = (front.position - position_ + kMeterMessageBytes - 1) / kMeterMessageBytes;
  if (missing >= front.last_events) return;
  Meter& meter = *meters_[front.meter];
  meter.passed.events = front.passed.events - missing;
  meter.delivered = front.delivered - missing;
}

void MergedStream::filter_gone(const std::string& why) {
  if (!gone_.empty()) return;
  gone_ = why.empty() ? "it has ended" : why;
  pass_part_of_frame();
  stream_.clear();
  written_ = 0;
  marks_.clear();
  for (auto& meter : meters_)
    if (meter->account) meter->passed.over = true;  // nothing of it will ever be passed on
}

// So far, or of an ended meter: the losses it reported, what was not understood, and what came after the filter's end.
std::vector<Loss> MergedStream::losses_of(const Meter& meter) const {
  std::vector<Loss> losses;
  if (meter.account) losses = meter.account->losses;
  const std::uint64_t come = meter.events - meter.first_event;
  if (gone_.empty()) {
    if (come > meter.understood)
      losses.push_back({"could not be understood by the collector", come - meter.understood});
    return losses;
  }
  const std::uint64_t seen = meter.account ? meter.account->seen : come;
  const std::uint64_t explained = meter.delivered + total(losses);
  if (seen > explained) losses.push_back({"the filter is gone: " + gone_, seen - explained});
  return losses;
}

std::size_t MergedStream::finished_meters() const {
  return static_cast<std::size_t>(
      std::count_if(meters_.begin(), meters_.end(), [](const auto& meter) { return meter->passed.over; }));
}

std::vector<MeterDelivery> MergedStream::deliveries() const {
  std::vector<MeterDelivery> deliveries;
  for (const auto& meter : meters_) {
    MeterDelivery delivery;
    delivery.meter = meter->identity;
    delivery.ended = meter->account.has_value();
    delivery.seen = meter->account ? meter->account->seen : meter->events - meter->first_event;
    delivery.delivered = meter->delivered;
    delivery.losses = losses_of(*meter);
    deliveries.push_back(std::move(delivery));
  }
  return deliveries;
}

}  // namespace dpm
