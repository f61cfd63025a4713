#include "scenarios/native/moved_data.hpp"

#include <algorithm>

#include "model/link_complaints.hpp"

namespace dpm::native {

void MovedData::move(const Link& from, const Link& to, std::uint64_t bytes) {
  if (bytes == 0) return;
  if (from.owner == member_.process) return send(from.area->offset_bytes, to, bytes, 0);

  const std::uint64_t fetch = ++fetches_made_;
  FrameHeader request = mailbox_.header_for(from, FrameKind::fetch);
  request.number = fetch;
  request.offset_bytes = from.area->offset_bytes;
  Link target = to;
  target.area->size_bytes = bytes;
  request.pass(target);
  mailbox_.send(from.owner, request, {});

  const auto is_fetched_data = [&](const FrameHeader& header) {
    return header.kind == FrameKind::data && header.sender == from.owner && header.number == fetch;
  };
  while (fetches_done_ < fetch) {
    mailbox_.inbox().bring(is_fetched_data);
    serve();
    if (fetches_done_ < fetch) mailbox_.wait(Doing::awaiting_data);
  }
}

void MovedData::serve() {
  while (const auto frame = mailbox_.inbox().take_kernel_frame()) {
    const FrameHeader& header = frame->header;
    if (header.kind == FrameKind::data) {
      store(*frame);
    } else if (header.kind == FrameKind::fetched) {
      fetches_done_ = header.number;
    } else if (const auto target = header.passed(); target && target->area) {
      const bool is_pull = target->owner == header.sender;
      send(header.offset_bytes, *target, target->area->size_bytes, is_pull ? header.number : 0);
      if (is_pull) continue;
      FrameHeader answer = mailbox_.header_for({header.sender, 0, 0, std::nullopt}, FrameKind::fetched);
      answer.number = header.number;
      mailbox_.send(header.sender, answer, {});
    }
  }
}

void MovedData::send(std::uint64_t offset_bytes, const Link& to, std::uint64_t bytes, std::uint64_t fetch) {
  if (offset_bytes + bytes > address_space_.size())
    member_.misuse("move_data", complaints::address_space_shrank(member_.description().name));
  const std::uint64_t size = std::max<std::uint64_t>(member_.scenario.move_data_message_bytes, 1);
  for (std::uint64_t done = 0; done < bytes; done += size) {
    const std::uint64_t part = std::min(size, bytes - done);
    FrameHeader header = mailbox_.header_for(to, FrameKind::data);
    header.number = fetch;
    header.offset_bytes = to.area->offset_bytes + done;
    header.code = done + part == bytes ? 1 : 0;
    header.length_bytes = header.data_bytes = static_cast<std::uint32_t>(part);
    mailbox_.send(to.owner, header, std::span(address_space_).subspan(offset_bytes + done, part));
  }
}

void MovedData::store(const Frame& frame) {
  const FrameHeader& header = frame.header;
  if (header.offset_bytes + frame.data.size() > address_space_.size())
    member_.misuse("move_data", complaints::address_space_shrank(member_.description().name));
  std::copy(frame.data.begin(), frame.data.end(),
            address_space_.begin() + static_cast<std::ptrdiff_t>(header.offset_bytes));
  ++member_.row.counts.data_received;
  const bool is_last = header.code == 1;
  if (header.number != 0 && is_last) fetches_done_ = header.number;
}

}  // namespace dpm::native
