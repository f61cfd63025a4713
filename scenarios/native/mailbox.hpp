// What a process sends and what has arrived for it: frames go out stamped and counted, and the board says when the
// process waits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/message_calls.hpp"
#include "scenarios/native/inbox.hpp"
#include "scenarios/native/membership.hpp"
#include "scenarios/native/outbox.hpp"

namespace dpm::native {

class Mailbox {
 public:
  Mailbox(const Membership& member, UniqueFd listener)
      : member_(member), outbox_(member.ports), inbox_(std::move(listener), member.run, outbox_) {}

  FrameHeader header_for(const Link& to, FrameKind kind) const;
  void send(std::uint32_t receiver, const FrameHeader& header, std::span<const std::byte> data);
  // Whether the kernel has taken all that was sent.
  bool all_sent() const { return outbox_.is_empty(); }

  Inbox& inbox() { return inbox_; }
  // Until something comes, the kernel takes more, or the deadline.
  void wait(Doing doing, std::optional<Deadline> deadline = std::nullopt);

 private:
  const Membership& member_;
  Outbox outbox_;
  Inbox inbox_;
  std::int64_t last_sent_ns_ = 0;
};

}  // namespace dpm::native
