#include "analysis/messages/stream_messages.hpp"

#include <algorithm>

namespace dpm {
namespace {

// Whether the process of received[index] took bytes of `send` with an earlier RECEIVE. Usually it is the one before, so
// the search backwards is short.
bool began_before(const ByteRanges& received, std::size_t index, const ByteRange& send) {
  const ProcessId process = received[index].process;
  for (std::size_t i = index; i-- > 0 && received[i].end() > send.offset;) {
    if (received[i].process == process) return true;
  }
  return false;
}

std::uint64_t received_by(ProcessId receiver, const std::vector<MessagePart>& parts) {
  for (const auto& part : parts) {
    if (part.receiver == receiver) return part.length_bytes - part.unread_bytes;
  }
  return 0;
}

}  // namespace

void find_parts(const ByteRanges& sent, const ByteRanges& received, std::size_t index,
                std::vector<MessagePart>* parts) {
  parts->clear();
  const ByteRange& send = sent[index];
  std::uint64_t counted = send.offset;
  std::size_t last = 0, r = received.first_after(send.offset);
  for (; r < received.size() && received[r].offset < send.end(); ++r) {
    const ByteRange& range = received[r];
    last = 0;
    while (last < parts->size() && (*parts)[last].receiver != range.process) ++last;
    if (last == parts->size()) parts->push_back({range.process, std::max(range.offset, send.offset), 0});
    const std::uint64_t until = std::min(range.end(), send.end());
    (*parts)[last].length_bytes += until - counted;
    counted = until;
  }
  if (parts->empty()) return;
  (*parts)[last].length_bytes += send.end() - counted;
  if (r == received.size()) (*parts)[last].unread_bytes = send.end() - counted;
}

void find_taken(const ByteRanges& sent, const ByteRanges& received, std::size_t index,
                std::vector<TakenMessage>* taken) {
  taken->clear();
  const ByteRange& range = received[index];
  std::vector<MessagePart> parts;
  TakenMessage unsent;
  std::size_t unsent_place = 0;
  std::uint64_t at = range.offset;
  const auto note_unsent = [&](std::uint64_t until) {
    if (until <= at) return;
    if (unsent.length_bytes == 0) {
      unsent.first_byte = at;
      unsent_place = taken->size();
    }
    unsent.length_bytes += until - at;
  };
  for (std::size_t s = sent.first_after(range.offset); s < sent.size() && sent[s].offset < range.end(); ++s) {
    const ByteRange& send = sent[s];
    note_unsent(send.offset);
    at = send.end();
    if (send.offset < range.offset && began_before(received, index, send)) continue;
    find_parts(sent, received, s, &parts);
    taken->push_back({send.process, std::max(send.offset, range.offset), received_by(range.process, parts)});
  }
  note_unsent(range.end());
  if (unsent.length_bytes > 0) taken->insert(taken->begin() + static_cast<std::ptrdiff_t>(unsent_place), unsent);
}

}  // namespace dpm
