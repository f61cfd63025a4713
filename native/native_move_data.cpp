// MOVEDATA in a native run. Its data travel as frames of the source's process, on the same connection as its messages.
//
//   push     the caller owns the source        it sends at once
//   pull     the caller owns the destination   a fetch to the source's process, which sends; the last data end the call
//   third    it owns neither                   a fetch to the source's process, which sends and answers the fetch
//
// A process serves fetches, and stores data that come to it, when it makes a call that looks at what has arrived: there
// is no kernel of ours that could do it while the program computes.
#include <algorithm>

#include "model/link_complaints.hpp"
#include "native/native_calls.hpp"

namespace dpm::native {

const Link& NativeCalls::link_with_area(LinkIndex index, std::uint64_t bytes, bool read) const {
  const Link& link = link_at(index, "move_data");
  const std::string complaint = complaints::no_data_movement(link.area, bytes, read);
  if (!complaint.empty()) misuse("move_data", complaint);
  return link;
}

void NativeCalls::move_data(LinkIndex from_index, LinkIndex to_index, std::uint64_t bytes) {
  const Link from = link_with_area(from_index, bytes, true);
  const Link to = link_with_area(to_index, bytes, false);
  if (bytes == 0) return;
  if (from.owner == member_.process) return send_data(from.area->offset_bytes, to, bytes, 0);

  const std::uint64_t fetch = ++fetches_made_;
  FrameHeader request = header_for(from, FrameKind::fetch);
  request.number = fetch;
  request.offset_bytes = from.area->offset_bytes;
  Link target = to;
  target.area->size_bytes = bytes;
  request.pass(target);
  send_frame(from.owner, request, {});

  const auto is_fetched_data = [&](const FrameHeader& header) {
    return header.kind == FrameKind::data && header.sender == from.owner && header.number == fetch;
  };
  while (fetches_done_ < fetch) {
    inbox_.bring(is_fetched_data);
    serve_kernel();
    if (fetches_done_ < fetch) wait(Doing::awaiting_data);
  }
}

void NativeCalls::serve_kernel() {
  while (const auto frame = inbox_.take_kernel_frame()) {
    const FrameHeader& header = frame->header;
    if (header.kind == FrameKind::data) {
      store(*frame);
    } else if (header.kind == FrameKind::fetched) {
      fetches_done_ = header.number;
    } else if (const auto target = header.passed(); target && target->area) {
      const bool is_pull = target->owner == header.sender;
      send_data(header.offset_bytes, *target, target->area->size_bytes, is_pull ? header.number : 0);
      if (is_pull) continue;
      FrameHeader answer = header_for({header.sender, 0, 0, std::nullopt}, FrameKind::fetched);
      answer.number = header.number;
      send_frame(header.sender, answer, {});
    }
  }
}

void NativeCalls::send_data(std::uint64_t offset_bytes, const Link& to, std::uint64_t bytes, std::uint64_t fetch) {
  if (offset_bytes + bytes > address_space_.size()) misuse("move_data", complaints::address_space_shrank(name()));
  const std::uint64_t size = std::max<std::uint64_t>(member_.scenario.move_data_message_bytes, 1);
  for (std::uint64_t done = 0; done < bytes; done += size) {
    const std::uint64_t part = std::min(size, bytes - done);
    FrameHeader header = header_for(to, FrameKind::data);
    header.number = fetch;
    header.offset_bytes = to.area->offset_bytes + done;
    header.code = done + part == bytes ? 1 : 0;
    header.length_bytes = header.data_bytes = static_cast<std::uint32_t>(part);
    send_frame(to.owner, header, std::span(address_space_).subspan(offset_bytes + done, part));
  }
}

void NativeCalls::store(const Frame& frame) {
  const FrameHeader& header = frame.header;
  if (header.offset_bytes + frame.data.size() > address_space_.size())
    misuse("move_data", complaints::address_space_shrank(name()));
  std::copy(frame.data.begin(), frame.data.end(),
            address_space_.begin() + static_cast<std::ptrdiff_t>(header.offset_bytes));
  ++row_.counts.data_received;
  const bool is_last = header.code == 1;
  if (header.number != 0 && is_last) fetches_done_ = header.number;
}

}  // namespace dpm::native
