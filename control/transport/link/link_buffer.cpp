#include "control/transport/link/link_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kPiece = 256;  // events written to or read from the spool at once

}  // namespace

LinkBuffer::LinkBuffer(wire::MeterKey key, MeterIdentity identity, std::size_t memory_events_max, Spool spool,
                       NamesStore names)
    : key_(key),
      identity_(std::move(identity)),
      memory_max_(std::max<std::size_t>(1, memory_events_max)),
      memory_(std::make_unique_for_overwrite<MeterMessage[]>(memory_max_)),
      spool_(std::move(spool)),
      confirmed_names_(std::move(names)) {}

void LinkBuffer::tell(const TraceGrowth& growth) {
  for (auto& text : to_names(growth, told_)) names_.push_back(std::move(text));
}

std::size_t LinkBuffer::append(std::span<const Event> events) {
  DPM_CHECK(!account_);
  std::size_t taken = 0;
  while (taken < events.size() && has_room()) {
    slot(next_) = encode_meter_message(events[taken++]);
    memory_end_ = ++next_;
  }
  std::array<MeterMessage, kPiece> piece;
  while (taken < events.size()) {
    const std::size_t count = std::min(kPiece, events.size() - taken);
    for (std::size_t i = 0; i < count; ++i) piece[i] = encode_meter_message(events[taken + i]);
    const std::size_t written = spool_.write(next_, spooled(), std::span(piece).first(count));
    next_ += written;
    taken += written;
    if (written < count) break;
  }
  return taken;
}

void LinkBuffer::end(MeterAccount account) {
  DPM_CHECK(!account_);
  account_ = std::move(account);
}

std::string LinkBuffer::greeting() {
  resumed_ = false;
  std::string out;
  wire::append_meter_frame(out, wire::Hello{wire::kMeterVersion, key_, identity_, confirmed_});
  return out;
}

Result<void> LinkBuffer::take(Frame frame) {
  auto parsed = wire::parse_meter_frame(std::move(frame));
  if (!parsed) return parsed.error();
  if (const auto* gone = std::get_if<wire::FilterGone>(&*parsed)) {
    filter_gone_ = gone->why.empty() ? "it is gone" : gone->why;
    return {};
  }
  if (const auto* resume = std::get_if<wire::Resume>(&*parsed)) return on_resume(*resume);
  if (const auto* ack = std::get_if<wire::Ack>(&*parsed)) return on_ack(*ack);
  return Error{"the collector sends a frame that only meters send"};
}

Result<void> LinkBuffer::on_resume(const wire::Resume& resume) {
  if (resumed_) return Error{"the collector reports its position twice"};
  if (resume.events_passed < confirmed_ || resume.events < resume.events_passed || resume.events > sent_)
    return Error{
        fmt::format("the collector wants event {}, where {} to {} can be right", resume.events, confirmed_, sent_)};
  if (!resume.known && (resume.events != confirmed_ || resume.names != 0))
    return Error{"the collector does not know the meter, but has something of it"};
  if (!resume.known) tell_all_names_again();
  if (resume.names_passed < names_first_ || resume.names < resume.names_passed ||
      resume.names > names_first_ + names_.size())
    return Error{"the collector wants names that were never sent"};
  confirm(resume.events_passed);
  sent_ = resume.events;
  names_sent_ = static_cast<std::size_t>(resume.names - names_first_);
  keep_names(resume.names_passed);
  over_sent_ = false;
  resumed_ = true;
  return {};
}

Result<void> LinkBuffer::on_ack(const wire::Ack& ack) {
  if (!resumed_) return Error{"the collector confirms events that it was not sent"};
  if (ack.events < confirmed_ || ack.events > sent_ || ack.names < names_first_ ||
      ack.names > names_first_ + names_sent_ || (ack.over && !over_sent_))
    return Error{"the collector confirms events that it was not sent"};
  confirm(ack.events);
  keep_names(ack.names);
  over_confirmed_ = over_confirmed_ || ack.over;
  return {};
}

// For a collector that does not know the meter; numbered from 0.
void LinkBuffer::tell_all_names_again() {
  auto before = confirmed_names_.take_all();
  names_.insert(names_.begin(), std::make_move_iterator(before.begin()), std::make_move_iterator(before.end()));
  names_first_ = 0;
}

// Those before `number` are confirmed.
void LinkBuffer::keep_names(std::uint64_t number) {
  while (names_first_ < number) {
    confirmed_names_.append(std::move(names_.front()));
    names_.pop_front();
    ++names_first_;
    --names_sent_;
  }
}

void LinkBuffer::confirm(std::uint64_t events) {
  confirmed_ = events;
  if (memory_end_ < confirmed_) memory_end_ = confirmed_;
  refill();
}

// Moves events from the spool to memory when half of it is free: in pieces, not one by one.
void LinkBuffer::refill() {
  if (spooled() == 0 || memory_end_ - confirmed_ > memory_max_ / 2) return;
  while (spooled() > 0 && memory_end_ - confirmed_ < memory_max_) {
    const std::uint64_t room =
        std::min({memory_max_ - (memory_end_ - confirmed_), spooled(), memory_max_ - memory_end_ % memory_max_});
    const std::span piece(&slot(memory_end_), static_cast<std::size_t>(room));
    if (!spool_.read(memory_end_, piece)) {
      // An event that the disk does not return keeps its number, as a message that every filter counts as not understood.
      for (auto& message : piece) {
        message = encode_meter_message(Event{});
        message[8] = std::byte{0};
      }
    }
    memory_end_ += room;
  }
  if (spooled() == 0) spool_.clear();
}

bool LinkBuffer::produce(std::string& out, std::size_t max) {
  if (!resumed_) return false;
  const std::size_t before = out.size();
  if (!filter_gone_.empty()) {
    // Only the account is needed now.
    if (account_ && !over_sent_) wire::append_meter_frame(out, wire::Over{*account_});
    over_sent_ = account_.has_value();
    return out.size() > before;
  }
  while (names_sent_ < names_.size() && out.size() - before < max) {
    wire::append_meter_frame(out, wire::Names{names_first_ + names_sent_, names_[names_sent_]});
    ++names_sent_;
  }
  if (names_sent_ < names_.size()) return true;
  while (sent_ < memory_end_ && out.size() - before < max) {
    const auto count =
        std::min<std::uint64_t>({wire::kEventsPerFrameMax, memory_end_ - sent_, memory_max_ - sent_ % memory_max_});
    const auto* bytes = reinterpret_cast<const char*>(slot(sent_).data());
    wire::append_meter_frame(out, wire::Events{sent_, std::string(bytes, count * kMeterMessageBytes)});
    sent_ += count;
  }
  if (account_ && !over_sent_ && sent_ == next_ && out.size() - before < max) {
    wire::append_meter_frame(out, wire::Over{*account_});
    over_sent_ = true;
  }
  return out.size() > before;
}

std::optional<std::string> LinkBuffer::take_remaining() {
  std::string stream;
  if (!std::exchange(remaining_begun_, true)) {
    for (const auto& text : confirmed_names_.take_all()) append_names(stream, text);
    for (const auto& text : names_) append_names(stream, text);
    append_meter(stream, 0, identity_);
    if (account_) {
      account_->seen -= std::min(account_->seen, confirmed_);  // these are in the log of the filter
      account_->delivered = waiting();
    }
    return stream;
  }
  if (confirmed_ == next_) {
    if (std::exchange(remaining_ended_, true)) return std::nullopt;
    if (account_) append_meter_end(stream, 0, *account_);
    append_stream_end(stream);
    return stream;
  }
  const auto count = std::min<std::uint64_t>(memory_end_ - confirmed_, 1024);
  for (std::uint64_t number = confirmed_; number < confirmed_ + count; ++number)
    stream.append(reinterpret_cast<const char*>(slot(number).data()), kMeterMessageBytes);
  sent_ = std::max(sent_, confirmed_ + count);
  confirm(confirmed_ + count);
  return stream;
}

}  // namespace dpm
