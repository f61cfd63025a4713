#include "backends/linux/calls/datagram_account.hpp"

#include <utility>

namespace dpm {
namespace {

constexpr std::uint64_t kBytesOfOneMin = 512;  // the kernel needs them even for an empty datagram
// The list of sends would grow without end if the receiver never looked again.
constexpr std::size_t kUnderWayMax = 4096;

}  // namespace

void DatagramAccount::add_difference(ChannelId channel, std::int64_t difference) {
  const auto at = difference_.try_emplace(channel.value).first;
  at->second += difference;
  if (at->second == 0) difference_.erase(at);
}

void DatagramAccount::sent(const Send& send) {
  ++sent_;
  ++late_;
  if (under_way_.size() < kUnderWayMax) under_way_.push_back(send);
  several_channels_ |= channel_ && *channel_ != send.channel;
  channel_ = send.channel;
  sender_ = send.by;
  add_difference(send.channel, 1);
}

void DatagramAccount::received(ChannelId channel) {
  ++received_;
  add_difference(channel, -1);
}

std::uint64_t DatagramAccount::dropped() const {
  std::uint64_t dropped = dropped_by_closed_;
  for (const auto& [socket, seen] : open_) dropped += seen.dropped - seen.dropped_before;
  return dropped;
}

std::uint64_t DatagramAccount::waiting_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [socket, seen] : open_) bytes += seen.waiting_bytes;
  return bytes;
}

ChannelId DatagramAccount::most_different(bool lost) const {
  ChannelId found = channel_.value_or(ChannelId{});
  std::int64_t most = 0;
  for (const auto& [channel, difference] : difference_) {
    const std::int64_t amount = lost ? difference : -difference;
    if (amount <= most) continue;
    most = amount;
    found = ChannelId{channel};
  }
  return found;
}

DatagramAccount::Verdict DatagramAccount::judge(std::uint64_t waiting_bytes, std::uint64_t sent) const {
  Verdict verdict;
  verdict.unchecked = from_outside_;
  const std::uint64_t all = sent + received_;
  if (!is_known_ || !looked_ || (takes_from_one_ && several_channels_)) {
    verdict.unchecked += all;
    return verdict;
  }
  const auto rest = static_cast<std::int64_t>(sent) - static_cast<std::int64_t>(received_);
  const auto dropped = static_cast<std::int64_t>(this->dropped());
  // Which of several senders lost it is not known.
  const std::int64_t dropped_at_least = from_outside_ > 0 ? 0 : dropped;
  const auto may_wait = static_cast<std::int64_t>((waiting_bytes + kBytesOfOneMin - 1) / kBytesOfOneMin);
  const auto uncertain = static_cast<std::int64_t>(early_ + late_) + may_wait;
  if (rest - dropped > uncertain) {
    verdict.lost = static_cast<std::uint64_t>(rest - dropped - uncertain);
    verdict.channel = most_different(true);
    verdict.by = receiver_;
  } else if (rest < dropped_at_least) {
    verdict.surplus = static_cast<std::uint64_t>(dropped_at_least - rest);
    verdict.channel = most_different(false);
    verdict.by = sender_;
  }
  const auto unknown = static_cast<std::uint64_t>(std::max<std::int64_t>(rest - dropped_at_least, 0)) - verdict.lost;
  verdict.unchecked += unknown;
  verdict.checked = all - unknown;
  return verdict;
}

std::optional<DatagramAccount::Verdict> DatagramAccount::close(std::uint64_t socket,
                                                               std::optional<std::uint32_t> unread_bytes) {
  const auto found = open_.find(socket);
  if (found == open_.end()) return std::nullopt;
  if (open_.size() > 1) {
    dropped_by_closed_ += found->second.dropped - found->second.dropped_before;
    open_.erase(found);
    return std::nullopt;
  }
  const std::uint64_t waiting = unread_bytes.value_or(found->second.waiting_bytes);
  const std::uint64_t known = received_ + dropped();
  const std::uint64_t left = std::min(late_, sent_ > known ? sent_ - known : 0);
  const Verdict verdict = judge(waiting, sent_ - left);
  DatagramAccount next;
  next.is_known_ = is_known_;
  next.sent_ = next.late_ = left;
  next.channel_ = channel_;
  next.sender_ = sender_;
  *this = std::move(next);
  return verdict;
}

void DatagramAccount::merge(DatagramAccount&& other) {
  is_known_ &= other.is_known_;
  several_channels_ |= other.several_channels_ || (channel_ && other.channel_ && channel_ != other.channel_);
  takes_from_one_ |= other.takes_from_one_;
  early_ =
      looked_ || other.looked_ ? early_ + other.early_ + (looked_ ? 0 : sent_) + (other.looked_ ? 0 : other.sent_) : 0;
  looked_ |= other.looked_;
  sent_ += other.sent_;
  received_ += other.received_;
  from_outside_ += other.from_outside_;
  late_ += other.late_;
  dropped_by_closed_ += other.dropped_by_closed_;
  if (!channel_) channel_ = other.channel_;
  if (sender_.tid == 0) sender_ = other.sender_;
  if (receiver_.tid == 0) receiver_ = other.receiver_;
  under_way_.insert(under_way_.end(), other.under_way_.begin(), other.under_way_.end());
  open_.merge(other.open_);
  for (const auto& [channel, difference] : other.difference_) add_difference(ChannelId{channel}, difference);
}

}  // namespace dpm
