#include "trace/stream_cursor.hpp"

#include <fmt/format.h>

#include <utility>

#include "trace/read_ledger.hpp"

namespace dpm {

bool may_have_no_file(const Sidecar& sidecar, const StreamSummary& segment) {
  return sidecar.window_ns > 0 && segment.records == 0;
}

// The bytes are those of the files that are read: others of these names may have been removed or have grown meanwhile, and a reader
// that reads twice has the same order.
StreamCursor::StreamCursor(const StreamSegments& stream, const Sidecar& sidecar, PacketDecoder& decoder, OpenFile open)
    : stream_(stream), sidecar_(sidecar), decoder_(decoder), open_(std::move(open)) {
  outcomes_.resize(stream.files.size());
  for (const StreamSummary& file : stream.files) {
    auto opened = open_(file);
    if (!opened) continue;
    bytes_ += opened->bytes();
    if (&file == &stream.files.front()) first_.emplace(*std::move(opened));
  }
}

std::optional<Packet> StreamCursor::next_packet() {
  for (; at_ < stream_.files.size(); end_file()) {
    if (!open_file()) continue;
    const auto packet = file_->next();
    if (packet && is_of_file(packet->head)) return packet;
    StreamOutcome& outcome = outcomes_[at_];
    if (!packet) outcome.packets_missing = file_->packets_missing();
    outcome.damage = packet ? kOtherStream : file_->damage();
  }
  return std::nullopt;
}

bool StreamCursor::open_file() {
  if (file_) return true;
  const StreamSummary& summary = stream_.files[at_];
  if (first_) {
    file_.emplace(*std::exchange(first_, std::nullopt));
    return true;
  }
  auto opened = open_(summary);
  if (opened) {
    file_.emplace(*std::move(opened));
  } else if (!may_have_no_file(sidecar_, summary)) {
    outcomes_[at_].damage = fmt::format("cannot be read ({})", opened.error().what);
  }
  return file_.has_value();
}

void StreamCursor::end_file() {
  if (file_) passed_ += file_->bytes();
  file_.reset();
  ++at_;
}

bool StreamCursor::is_of_file(const PacketHead& head) const {
  const StreamSummary& summary = stream_.files[at_];
  const bool is_other =
      !summary.machine.is_none() && (head.machine != summary.machine.value || head.filter != summary.filter);
  return !is_other && decoder_.can_read(head);
}

double StreamCursor::part_read() const {
  const std::uint64_t passed = passed_ + (file_ ? file_->packet_offset() : 0);
  return bytes_ == 0 ? 1 : static_cast<double>(passed) / static_cast<double>(bytes_);
}

void StreamCursor::add_losses_to(std::vector<Loss>& losses) const {
  for (std::size_t i = 0; i < outcomes_.size(); ++i)
    add_losses(stream_.files[i], outcomes_[i], sidecar_.finished, losses);
}

std::uint64_t StreamCursor::records() const {
  std::uint64_t records = 0;
  for (const StreamOutcome& outcome : outcomes_) records += outcome.records;
  return records;
}

}  // namespace dpm
