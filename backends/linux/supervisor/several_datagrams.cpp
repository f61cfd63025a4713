#include "backends/linux/supervisor/several_datagrams.hpp"

#include <fmt/format.h>

#include <utility>

#include "model/counted.hpp"
#include "model/unchecked.hpp"

namespace dpm {

DatagramMark mark_of(const WaitingDatagram& datagram, std::uint64_t bytes) {
  DatagramMark mark{.bytes = bytes, .beginning = datagram.beginning};
  if (datagram.beginning != 0) mark.sender = datagram.sender_name;
  return mark;
}

void SeveralDatagrams::goes_on(const Asked& asked, const std::vector<WaitingDatagram>& seen) {
  Socket* socket = meter_.conversations().find(asked.socket);
  if (socket == nullptr) return;
  for (const WaitingDatagram& datagram : seen)
    record(asked.call, *socket, datagram.sender_name, mark_of(datagram, datagram.length_bytes), datagram.part_bytes);
  UnderWay call;
  const std::uint32_t tid = asked.call.thread->tid();
  if (seen.size() < asked.count) call.array = MessageArray(tid, asked.address, asked.count);
  others_are_over(asked, call.array);
  if (call.array.size() <= seen.size()) return;
  call.asked = asked;
  call.before = call.array.read(tid);
  for (const WaitingDatagram& datagram : seen) call.seen.push_back(datagram.length_bytes);
  if (!seen.empty()) call.first_sender = seen.front().sender_name;
  under_way_.insert_or_assign(tid, std::move(call));
}

// If another thread's call had the same array, that call is over.
void SeveralDatagrams::others_are_over(const Asked& asked, const MessageArray& array) {
  std::vector<std::uint32_t> over;
  for (const auto& [tid, other] : under_way_) {
    const bool is_same_process = other.asked.call.thread->pid() == asked.call.thread->pid();
    if (is_same_process && other.array.overlaps(array)) over.push_back(tid);
  }
  for (const std::uint32_t tid : over) is_over(tid, asked.call.time, asked.call.now_ns);
}

void SeveralDatagrams::is_over(std::uint32_t tid, LocalTime time, std::int64_t now_ns) {
  const auto found = under_way_.find(tid);
  if (found == under_way_.end()) return;
  const UnderWay over = std::move(found->second);
  under_way_.erase(found);
  Socket* socket = meter_.conversations().find(over.asked.socket);
  const auto after = over.array.read(tid);
  const MessagesTaken taken = messages_taken(over.before, after, over.seen, over.asked.takes_all);
  if (taken.lengths_are_gone || socket == nullptr) {
    unread_ += taken.count - over.seen.size();
    if (socket != nullptr) meter_.missed_datagrams(*socket);
    return;
  }
  Call call = over.asked.call;
  call.time = time;
  call.now_ns = now_ns;
  call.data_is_there = false;
  for (std::size_t i = over.seen.size(); i < taken.count; ++i) {
    unparted_ += over.asked.may_be_merged && !after[i].tells_parts ? 1 : 0;
    DatagramMark mark{.bytes = after[i].length_bytes};
    if (!after[i].sender_name.empty()) mark.sender = after[i].sender_name;
    record(call, *socket, mark.sender.value_or(over.first_sender), mark, after[i].part_bytes);
  }
}

void SeveralDatagrams::closed(std::uint64_t socket, LocalTime time, std::int64_t now_ns) {
  std::vector<std::uint32_t> over;
  for (const auto& [tid, call] : under_way_)
    if (call.asked.socket == socket) over.push_back(tid);
  for (const std::uint32_t tid : over) is_over(tid, time, now_ns);
}

void SeveralDatagrams::forget(std::uint32_t tid) {
  const auto found = under_way_.find(tid);
  if (found == under_way_.end()) return;
  if (const Socket* socket = meter_.conversations().find(found->second.asked.socket)) meter_.missed_datagrams(*socket);
  under_way_.erase(found);
  ++calls_not_looked_at_;
}

// If a program does not ask for the senders' names, all its datagrams of UDP are taken to be from one sender.
void SeveralDatagrams::record(const Call& call, Socket& socket, const std::string& sender, const DatagramMark& mark,
                              std::uint64_t part_bytes) {
  Flow* flow = socket.in;
  const std::string& from = sender.empty() ? socket.description.peer_name : sender;
  const bool needs_sender = flow == nullptr && socket.description.medium == Medium::udp;
  if (needs_sender && from.empty()) {
    ++unread_;
    meter_.missed_datagrams(socket);
    return;
  }
  if (flow == nullptr) flow = &meter_.conversations().datagrams_from(from, socket);
  meter_.receives_datagrams(call, *flow, mark, part_bytes);
}

std::vector<SeveralDatagrams::Waiting> SeveralDatagrams::waiting(std::int64_t since_ns) const {
  std::vector<Waiting> waiting;
  for (const auto& [tid, call] : under_way_)
    if (call.asked.call.now_ns <= since_ns) waiting.push_back({tid, call.asked.call.descriptor});
  return waiting;
}

std::vector<std::string> SeveralDatagrams::warnings() const {
  std::vector<std::string> warnings;
  if (unread_ > 0)
    warnings.push_back(fmt::format(
        "{} datagrams that came while recvmmsg() was being made are not in the trace: their lengths or senders "
        "could not be read from the program's headers",
        unread_));
  if (unparted_ > 0)
    warnings.push_back(
        fmt::format("{}{} of recvmmsg() may be several that the kernel has merged (UDP_GRO): the program "
                    "does not ask for their size",
                    kNotCheckable, counted(unparted_, "datagram")));
  if (calls_not_looked_at_ > 0)
    warnings.push_back(
        fmt::format("{} calls of recvmmsg() may have taken more datagrams than are in the trace: their process ended "
                    "before they could be looked at again",
                    calls_not_looked_at_));
  return warnings;
}

}  // namespace dpm
