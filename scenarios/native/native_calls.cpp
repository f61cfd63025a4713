#include "scenarios/native/native_calls.hpp"

#include <time.h>

#include <algorithm>

#include "model/check.hpp"
#include "model/link_complaints.hpp"
#include "scenarios/native/spin.hpp"

namespace dpm::native {
NativeCalls::NativeCalls(Membership membership, UniqueFd listener)
    : member_(std::move(membership)),
      mailbox_(member_, std::move(listener)),
      moved_data_(member_, mailbox_),
      random_(Random::stream(member_.scenario.seed, member_.description().name)) {
  wire();
}

// The links of the scenario. All processes number all channels alike, so the numbers need not be sent. A process that is
// created has one more channel: its creator gets a link to it.
void NativeCalls::wire() {
  process_manager_ = links_.insert({member_.process_manager(), 0, 0, std::nullopt});
  std::map<std::string, std::uint32_t, std::less<>> number_of;
  const auto& processes = member_.scenario.processes;
  for (std::uint32_t i = 0; i < processes.size(); ++i) number_of.emplace(processes[i].name, i);
  std::vector<std::uint32_t> channels_of(processes.size(), 0);
  for (std::uint32_t from = 0; from < processes.size(); ++from) {
    for (const auto& target : processes[from].links) {
      const std::uint32_t to = number_of.at(target);
      const std::uint32_t channel = channels_of[to]++;
      if (to == member_.process) {
        DPM_CHECK(add_channel(from, std::nullopt) == channel);
        wired_[processes[from].name].from = channels_[channel].owners_index;
      }
      if (from == member_.process) wired_[target].to = links_.insert({to, channel, 0, std::nullopt});
    }
  }
  if (member_.description().created_later) add_channel(kNobody, std::nullopt);
}

std::uint32_t NativeCalls::add_channel(std::uint32_t wired_from, std::optional<DataArea> area) {
  const auto channel = static_cast<std::uint32_t>(channels_.size());
  channels_.push_back({links_.insert({member_.process, channel, 0, area}), wired_from});
  return channel;
}

const Link& NativeCalls::link_at(LinkIndex index, const char* call) const {
  const Link* link = links_.find(index);
  if (link == nullptr) member_.misuse(call, complaints::no_link_at(index));
  return *link;
}

// ---- links

LinkIndex NativeCalls::create_link(std::optional<DataArea> area) {
  if (area) {
    const std::string complaint = complaints::outside_address_space(*area, address_space().size());
    if (!complaint.empty()) member_.misuse("create_link", complaint);
  }
  return channels_[add_channel(kNobody, area)].owners_index;
}

LinkIndex NativeCalls::duplicate_link(LinkIndex index) {
  const Link link = link_at(index, "duplicate_link");
  if (link.is_for_one_reply()) member_.misuse("duplicate_link", complaints::kOneAnswer);
  return links_.insert(link);
}

void NativeCalls::destroy_link(LinkIndex index) {
  link_at(index, "destroy_link");
  links_.erase(index);
}

LinkIndex NativeCalls::standard_link(StandardLink which) const {
  if (which == StandardLink::process_manager) return process_manager_;
  member_.misuse("standard_link",
                 "a native run has no switchboard and no kernel processes; simulate a scenario that uses them");
}

const NativeCalls::WiredLinks* NativeCalls::wired_to(std::string_view process) const {
  const auto found = wired_.find(process);
  return found == wired_.end() ? nullptr : &found->second;
}

LinkIndex NativeCalls::link_to(std::string_view process) const {
  const WiredLinks* links = wired_to(process);
  if (links == nullptr || links->to.is_none()) throw Misuse{complaints::no_link_to(name(), process)};
  return links->to;
}

LinkIndex NativeCalls::link_from(std::string_view process) const {
  const WiredLinks* links = wired_to(process);
  if (links == nullptr || links->from.is_none()) throw Misuse{complaints::no_link_from(name(), process)};
  return links->from;
}

// ---- sending

void NativeCalls::send_message(LinkIndex to, const OutgoingMessage& message) {
  send_over(to, message, 0, "send_message");
}

void NativeCalls::reply(const Message& request, const OutgoingMessage& answer) {
  if (!request.reply_to) member_.misuse("reply", complaints::kNoCall);
  if (links_.find(*request.reply_to) == nullptr) member_.misuse("reply", complaints::kAnsweredAlready);
  send_over(*request.reply_to, answer, 0, "reply");
}

void NativeCalls::send_over(LinkIndex to, const OutgoingMessage& message, std::uint64_t reply_to, const char* call) {
  const Link link = link_at(to, call);
  FrameHeader header = mailbox_.header_for(link, FrameKind::message);
  header.number = link.answers_call;
  header.reply_to = reply_to;
  header.code = message.code;
  header.data_bytes = static_cast<std::uint32_t>(message.data.size());
  header.length_bytes = std::max(message.length_bytes, header.data_bytes);
  if (message.pass) {
    // The receiver gets a copy, except of a reply link: it is good for one answer, so it goes.
    const Link& passed = link_at(*message.pass, call);
    header.pass(passed);
    if (passed.is_for_one_reply()) links_.erase(*message.pass);
  }
  if (link.is_for_one_reply()) links_.erase(to);
  if (!is_manager(link.owner)) ++member_.row.counts.kind(header.code).sent;
  mailbox_.send(link.owner, header, message.data);
}

// ---- receiving

Message NativeCalls::receive_message(const Selection& selection) {
  return message_of(*await(selected(selection, "receive_message"), Doing::awaiting_message));
}

std::optional<Message> NativeCalls::receive_message_until(Deadline deadline, const Selection& selection) {
  auto frame = await(selected(selection, "receive_message_until"), Doing::awaiting_message, deadline);
  if (!frame) return std::nullopt;
  return message_of(*std::move(frame));
}

std::optional<Message> NativeCalls::a_receive_message(const Selection& selection) {
  const FrameSelection frames = selected(selection, "a_receive_message");
  mailbox_.inbox().look(false);
  moved_data_.serve();
  auto frame = mailbox_.inbox().take(frames);
  if (!frame) return std::nullopt;
  return message_of(*std::move(frame));
}

Message NativeCalls::call(LinkIndex to, OutgoingMessage message) {
  const std::pair<LinkIndex, OutgoingMessage> one{to, std::move(message)};
  return std::move(call_all({&one, 1}, std::nullopt).front());
}

std::optional<Message> NativeCalls::call_until(Deadline deadline, LinkIndex to, OutgoingMessage message) {
  const std::pair<LinkIndex, OutgoingMessage> one{to, std::move(message)};
  auto replies = call_all({&one, 1}, deadline);
  if (replies.empty()) return std::nullopt;
  return std::move(replies.front());
}

std::vector<Message> NativeCalls::call_all(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                                           std::optional<Deadline> deadline) {
  first_awaited_call_ = calls_made_ + 1;
  std::vector<std::uint32_t> called;
  for (const auto& [to, message] : calls) {
    called.push_back(link_at(to, "call").owner);
    send_over(to, message, ++calls_made_, "call");
  }
  const FrameSelection replies{[this](const FrameHeader& header) -> std::optional<double> {
    if (header.kind != FrameKind::message || header.number < first_awaited_call_) return std::nullopt;
    return 0;
  }};
  std::vector<Message> received;
  while (received.size() < calls.size()) {
    auto& state = member_.row.state;
    state.awaited_count = static_cast<std::uint32_t>(std::min(called.size(), ProcessState::kSendersShown));
    std::copy_n(called.begin(), state.awaited_count, state.awaited.begin());
    auto frame = await(replies, Doing::awaiting_reply, deadline);
    if (!frame) break;
    std::erase(called, frame->header.sender);
    received.push_back(message_of(*std::move(frame)));
  }
  first_awaited_call_ = 0;
  calls_given_up_ += calls.size() - received.size();
  return received;
}

void NativeCalls::drop_late_replies() {
  const FrameSelection late{[this](const FrameHeader& header) -> std::optional<double> {
    const bool awaited = first_awaited_call_ != 0 && header.number >= first_awaited_call_;
    if (header.kind != FrameKind::message || header.number == 0 || awaited) return std::nullopt;
    return 0;
  }};
  while (calls_given_up_ > 0 && mailbox_.inbox().take(late)) {
    --calls_given_up_;
    ++member_.row.counts.messages_dropped;
  }
}

// Writes on the board which processes it waits for: the report of a deadlock needs it.
FrameSelection NativeCalls::selected(const Selection& selection, const char* call) {
  std::vector<std::uint32_t> channels;
  std::uint32_t awaited = 0;
  for (const LinkIndex index : selection.over) {
    const Link& link = link_at(index, call);
    if (link.owner != member_.process)
      member_.misuse(call, complaints::not_my_link(index, member_.scenario.processes[link.owner].name));
    channels.push_back(link.channel);
    const std::uint32_t sender = channels_[link.channel].wired_from;
    if (awaited < ProcessState::kSendersShown) member_.row.state.awaited[awaited++] = sender;
  }
  member_.row.state.awaited_count = awaited;
  return {[this, channels = std::move(channels),
           rank = selection.rank](const FrameHeader& header) -> std::optional<double> {
            if (header.kind != FrameKind::message || header.number != 0) return std::nullopt;
            if (!channels.empty() && std::find(channels.begin(), channels.end(), header.channel) == channels.end())
              return std::nullopt;
            return rank ? rank(channels_[header.channel].owners_index, header.code) : 0;
          },
          static_cast<bool>(selection.rank)};
}

std::optional<Frame> NativeCalls::await(const FrameSelection& selection, Doing doing,
                                        std::optional<Deadline> deadline) {
  if (!mailbox_.all_sent() || deadline || selection.by_rank) mailbox_.inbox().look(false);
  for (;;) {
    moved_data_.serve();
    drop_late_replies();
    if (auto frame = mailbox_.inbox().take(selection)) {
      moved_data_.serve();  // data that stood in front of it
      return frame;
    }
    if (deadline && monotonic_ns() >= deadline->ns) return std::nullopt;
    mailbox_.wait(doing, deadline);
  }
}

Message NativeCalls::message_of(Frame frame) {
  const FrameHeader& header = frame.header;
  ++member_.row.counts.messages_received;
  if (!is_manager(header.sender)) ++member_.row.counts.kind(header.code).received;
  member_.row.counts.last_activity_ns = monotonic_ns();

  Message message;
  message.sender = ProcessId{header.sender};
  if (header.number == 0) {
    DPM_CHECK(header.channel < channels_.size());
    message.over = channels_[header.channel].owners_index;
  }
  message.code = header.code;
  message.length_bytes = header.length_bytes;
  if (const auto passed = header.passed()) message.passed = links_.insert(*passed);
  if (header.reply_to != 0) message.reply_to = links_.insert({header.sender, 0, header.reply_to, std::nullopt});
  message.data = std::move(frame.data);
  return message;
}

// ---- moving data

const Link& NativeCalls::link_with_area(LinkIndex index, std::uint64_t bytes, bool read) const {
  const Link& link = link_at(index, "move_data");
  const std::string complaint = complaints::no_data_movement(link.area, bytes, read);
  if (!complaint.empty()) member_.misuse("move_data", complaint);
  return link;
}

void NativeCalls::move_data(LinkIndex from_index, LinkIndex to_index, std::uint64_t bytes) {
  const Link from = link_with_area(from_index, bytes, true);
  const Link to = link_with_area(to_index, bytes, false);
  moved_data_.move(from, to, bytes);
}

// ---- the process itself

void NativeCalls::compute(Duration cpu_time) {
  const std::string complaint = complaints::negative_time(cpu_time);
  if (!complaint.empty()) member_.misuse("compute", complaint);
  spin(cpu_time);
  member_.row.counts.last_activity_ns = monotonic_ns();
}

void NativeCalls::sleep(Duration time) {
  const std::string complaint = complaints::negative_time(time);
  if (!complaint.empty()) member_.misuse("sleep", complaint);
  const Deadline end = deadline_in(time);
  while (monotonic_ns() < end.ns) {
    mailbox_.wait(Doing::sleeping, end);
    moved_data_.serve();
  }
  member_.row.counts.last_activity_ns = monotonic_ns();
}

void NativeCalls::stop_task() {
  member_.row.counts.last_activity_ns = monotonic_ns();
  while (!mailbox_.all_sent()) {
    mailbox_.wait(Doing::delivering);
    moved_data_.serve();
  }
  throw StopTask{};
}

void NativeCalls::print_line(std::string_view text) {
  member_.journal.append(EntryKind::printed, member_.process, text);
}

LocalTime NativeCalls::local_time() const {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec};
}

}  // namespace dpm::native
