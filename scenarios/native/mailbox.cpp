#include "scenarios/native/mailbox.hpp"

#include <algorithm>

namespace dpm::native {

FrameHeader Mailbox::header_for(const Link& to, FrameKind kind) const {
  FrameHeader header;
  header.token = member_.run.token;
  header.kind = kind;
  header.sender = member_.process;
  header.channel = to.channel;
  return header;
}

void Mailbox::send(std::uint32_t receiver, const FrameHeader& header, std::span<const std::byte> data) {
  FrameHeader stamped = header;
  stamped.sent_ns = last_sent_ns_ = std::max(monotonic_ns(), last_sent_ns_ + 1);
  if (header.kind == FrameKind::message || header.kind == FrameKind::data) {
    // Counted before it is sent: when it has arrived the run may end, and this process with it.
    member_.row.count_sent(receiver, header.length_bytes);
    member_.row.counts.last_activity_ns = stamped.sent_ns;
  }
  if (!outbox_.send(receiver, encode(stamped, data))) ++member_.row.counts.messages_dropped;
}

void Mailbox::wait(Doing doing, std::optional<Deadline> deadline) {
  member_.row.state.has_deadline = deadline ? 1 : 0;
  member_.row.change(doing);
  if (!deadline) {
    inbox_.look(true);
  } else if (const std::int64_t left_ns = deadline->ns - monotonic_ns(); left_ns > 0) {
    inbox_.look(true, Duration{left_ns});
  }
  member_.row.change(Doing::running);
}

}  // namespace dpm::native
