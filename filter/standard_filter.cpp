#include "filter/standard_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "filter/filter_files.hpp"
#include "filter/filter_input.hpp"
#include "filter/filter_status.hpp"
#include "filter/unfit_input.hpp"
#include "trace/event_fields.hpp"
#include "trace/meter_stream.hpp"

namespace dpm {
namespace {

constexpr std::size_t kMessageBytesMax = 64 * 1024;
constexpr std::size_t kMachinesMax = 1024;  // each has a stream and a buffer; more in one stream of messages is damage

const RecordField* header_field(const Descriptions& descriptions, std::initializer_list<std::string_view> names) {
  for (const auto& field : descriptions.header)
    for (const auto name : names)
      if (same_name(field.name, name)) return &field;
  return nullptr;
}

std::uint64_t number_at(const RecordField& field, std::span<const std::byte> message) {
  std::uint64_t value = 0;
  std::memcpy(&value, message.data() + field.offset_bytes, std::min<std::size_t>(field.length_bytes, sizeof value));
  return value;
}

}  // namespace

StandardFilter::StandardFilter(Descriptions descriptions, RuleSet rules, TraceWriter& writer)
    : descriptions_(std::move(descriptions)), rules_(std::move(rules)), writer_(&writer) {
  size_field_ = header_field(descriptions_, {"size"});
  type_field_ = header_field(descriptions_, {"traceType", "type"});
  machine_field_ = header_field(descriptions_, {"machine", "machineID"});
  time_field_ = header_field(descriptions_, {"time", "cpuTime"});
  DPM_CHECK(type_field_ != nullptr);
  for (std::size_t i = 0; i < descriptions_.records.size(); ++i) layout_of_type_[descriptions_.records[i].type] = i;
  info_.source = "meter messages";
  info_.properties.every_arrival_metered = true;
  writer_->on_begin(info_);
}

void StandardFilter::feed(std::span<const std::byte> bytes) {
  if (is_stopped()) {
    unread_bytes_ += bytes.size();
    return;
  }
  // Whole messages are read in place; only the end of a batch is kept for the next.
  if (pending_.empty()) {
    const std::size_t taken = take_messages(bytes);
    if (!is_stopped()) pending_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(taken), bytes.end());
    return;
  }
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
  const std::size_t taken = take_messages(pending_);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(taken));
}

// Returns how many bytes were consumed: all of them once the filter has stopped.
std::size_t StandardFilter::take_messages(std::span<const std::byte> bytes) {
  std::size_t taken = 0;
  while (!is_stopped() && bytes.size() - taken >= descriptions_.header_bytes) {
    const auto rest = bytes.subspan(taken);
    const std::uint64_t type = number_at(*type_field_, rest);
    const auto layout_number = layout_of_type_.find(type);
    const bool is_known = layout_number != layout_of_type_.end();
    std::uint64_t size = 0;
    if (size_field_ != nullptr) {
      size = number_at(*size_field_, rest);
      if (!is_possible_size(size)) stop("has the impossible size " + std::to_string(size));
    } else if (is_known) {
      size = descriptions_.records[layout_number->second].size_bytes;
    } else {
      stop(fmt::format("is of the unknown type {}, and messages do not state their size", type));
    }
    if (is_stopped()) {
      unread_bytes_ += rest.size();
      return bytes.size();
    }
    if (rest.size() < size) break;
    const auto message = rest.first(static_cast<std::size_t>(size));
    if (is_known)
      take_message(descriptions_.records[layout_number->second], layout_number->second, message);
    else if (type >= kStreamMessageFirst && type <= 255)
      ++no_events_;
    else
      lose(fmt::format("of type {}, which the description file doesn't have", type));
    taken += message.size();
    consumed_bytes_ += message.size();
  }
  return taken;
}

bool StandardFilter::is_unfit() const {
  if (kept_ + filtered_ + no_events_ > 0) return false;
  return consumed_bytes_ > 0 || is_stopped() || !(pending_.empty() || can_be_message(pending_));
}

// What has come of a first message. Less than its size or type says nothing, and is not a message either.
bool StandardFilter::can_be_message(std::span<const std::byte> beginning) const {
  const RecordField& first = size_field_ != nullptr ? *size_field_ : *type_field_;
  if (beginning.size() < first.offset_bytes + first.length_bytes) return false;
  const std::uint64_t value = number_at(first, beginning);
  return size_field_ != nullptr ? is_possible_size(value) : layout_of_type_.contains(value);
}

bool StandardFilter::is_possible_size(std::uint64_t bytes) const {
  return bytes >= descriptions_.header_bytes && bytes <= kMessageBytesMax;
}

std::string StandardFilter::why_lost() const { return lost_.empty() ? "" : lost_.begin()->first; }

void StandardFilter::take_message(const RecordLayout& layout, std::size_t layout_number,
                                  std::span<const std::byte> message) {
  if (message.size() < layout.size_bytes) {
    lose(fmt::format("of {} bytes, shorter than the description of {}", message.size(), layout.name));
    return;
  }
  const ClassIndex record_class = rules_.match(layout_number, message.data());
  if (record_class == kNotKept) {
    ++filtered_;
    return;
  }
  const MachineId machine = machine_of(message);
  if (machine.is_none()) {
    lose(fmt::format("from more than {} machines", kMachinesMax));
    return;
  }
  LocalTime time;
  if (time_field_ != nullptr) {
    const std::uint64_t value = number_at(*time_field_, message);
    time.ns = static_cast<std::int64_t>(time_field_->length_bytes <= 4 ? value * 1'000'000 : value);
  }
  writer_->append(machine, {0, record_class}, time, message.data());
  ++kept_;
}

MachineId StandardFilter::machine_of(std::span<const std::byte> message) {
  const std::uint64_t number = machine_field_ != nullptr ? number_at(*machine_field_, message) : 0;
  const auto found = machines_.find(number);
  if (found != machines_.end()) return found->second;
  if (machines_.size() == kMachinesMax) return {};
  const MachineId machine{static_cast<std::uint16_t>(machines_.size())};
  machines_[number] = machine;
  info_.machines.push_back({"machine " + std::to_string(number), 1});
  return machine;
}

void StandardFilter::lose(const std::string& reason) { ++lost_["a message " + reason]; }

void StandardFilter::stop(const std::string& reason) {
  stop_reason_ = fmt::format("the message at byte {} {}", consumed_bytes_, reason);
}

Ledger StandardFilter::ledger_so_far() const {
  Ledger ledger;
  ledger.kept = kept_;
  ledger.filtered = filtered_;
  for (const auto& [reason, events] : lost_) ledger.losses.push_back({reason, events});
  if (is_stopped()) {
    // How many messages these bytes were is not known; at least one.
    ledger.losses.push_back({fmt::format("{}: it and all that followed, {} bytes", stop_reason_, unread_bytes_), 1});
    ledger.warnings.push_back(fmt::format(
        "the filter stopped reading because {} (is the description file that of this meter?)", stop_reason_));
  } else if (!pending_.empty()) {
    ledger.losses.push_back({fmt::format("the input ended inside a message, after {} bytes", pending_.size()), 1});
  }
  if (no_events_ > 0)
    ledger.warnings.push_back(std::to_string(no_events_) +
                              " messages with names and accounts of meters were passed over: a filter without a "
                              "description file reads them");
  for (const auto& loss : ledger.losses) ledger.lost += loss.events;
  ledger.seen = ledger.kept + ledger.filtered + ledger.lost;
  return ledger;
}

void StandardFilter::checkpoint() {
  if (is_stopped() || pending_.empty())
    writer_->checkpoint(ledger_so_far());
  else
    writer_->checkpoint();
}

void StandardFilter::end() { writer_->on_end(ledger_so_far()); }

TraceDescription describe_messages(const Descriptions& descriptions, const RuleSet& rules) {
  return {descriptions.records, {{"filter", rules.text(), rules.classes()}}};
}

Result<Ledger> filter_meter_messages(const StandardFilterFiles& files, int input) {
  auto descriptions = load_descriptions(files.descriptions);
  if (!descriptions) return descriptions.error();
  auto rules = load_rules(files.templates, descriptions->records);
  if (!rules) return rules.error();
  auto writer = TraceWriter::create(files.directory, describe_messages(*descriptions, *rules), files.form);
  if (!writer) return writer.error();

  StandardFilter filter(*std::move(descriptions), *std::move(rules), **writer);
  InputBeginning beginning;
  const auto feed = [&](std::span<const std::byte> bytes) {
    beginning.see(bytes);
    filter.feed(bytes);
    return true;
  };
  FilterStatus status;
  const auto checkpoint = [&] {
    filter.checkpoint();
    return status.report(**writer, filter.filtered());
  };
  const auto input_status = read_filter_input(input, {feed, checkpoint});
  filter.end();
  status.report(**writer, filter.filtered());
  if (!input_status) return input_status.error();
  if (!(*writer)->status()) return (*writer)->status().error();
  if (filter.is_unfit()) return beginning.refuse(files.directory, filter.why_lost());
  return filter.ledger();
}

}  // namespace dpm
