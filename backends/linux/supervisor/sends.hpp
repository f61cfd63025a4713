// Calls that send: bytes into a stream, datagrams, and numbers that are added to an eventfd.
//
// To the analyses an eventfd is a stream of units: a SEND is as long as the number that was written, and a RECEIVE as
// long as what was there to be taken, so that a RECEIVE depends on the SEND whose unit it took last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/linux/supervisor/call_arguments.hpp"
#include "backends/linux/supervisor/call_inspector.hpp"
#include "backends/linux/supervisor/held_calls.hpp"
#include "backends/linux/supervisor/restarted_calls.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class Sends {
 public:
  static constexpr std::uint64_t kUnitCallBytes = 8;  // every read and write of an eventfd moves as many

  Sends(Shared& shared, CallInspector& inspector, HeldCalls& held, RestartedCalls& restarts)
      : shared_(shared), inspector_(inspector), held_(held), restarts_(restarts) {}

  // `available`: the most that can be sent, whatever the call asks for. `from`: where a transfer takes it.
  CallOutcome send(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                   std::uint64_t available = UINT64_MAX, const Flow* from = nullptr);
  // By a transfer out of `file`.
  void send_from_file(const Notification& notification, const MeteredCall& shape, TrackedThread& thread, int file);
  // The thread's last call is over.
  void is_over(TrackedThread& thread);
  // Looks at what its sends have moved.
  void settle_parts(TrackedThread& thread, bool is_last_chance);

 private:
  void settle_by_file(TrackedThread& thread);
  std::uint64_t bytes_left(const Notification& notification, const MeteredCall& shape, int file);
  std::optional<std::int64_t> offset_at(std::uint32_t tid, std::uint64_t address);
  std::optional<std::int64_t> place_in_file(TrackedThread& thread, std::int32_t descriptor, std::uint64_t address);
  void settle_receive(const Call& call, Socket& socket, int fd);
  void note_fast_open(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  std::uint64_t given_units(const Notification& notification, const MeteredCall& shape);
  const Flow* send_segments(const Call& call, int fd, Socket& socket, const GivenMessage& message,
                            std::uint64_t segment);
  void send_units(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                  const ResolvedChannel& channel);
  const Flow* send_datagrams(const Notification& notification, const MeteredCall& shape, int fd, Socket& socket,
                             const Call& call, std::uint64_t available);
  const Flow* send_datagram(const Call& call, int fd, Socket& socket, std::uint64_t bytes, const GivenMessage& message);
  CallOutcome send_bytes(const Notification& notification, const MeteredCall& shape, TrackedThread& thread,
                         const ResolvedChannel& channel, const Call& call, std::uint64_t available, const Flow* from);
  std::optional<PartialSend> watch_part(const Call& call, Flow& flow, const Socket& socket, int fd);
  void settle_receives(const Call& call, Flow& flow, std::uint64_t waiting);
  bool blocks(const Notification& notification, const MeteredCall& shape, int fd);
  bool waits_for_room(const Notification& notification, const MeteredCall& shape, int fd);
  SendRoom room_for(const Notification& notification, const MeteredCall& shape, int fd, std::uint64_t asked);
  bool must_fail(const Notification& notification, const MeteredCall& shape, int fd);

  Shared& shared_;
  CallInspector& inspector_;
  HeldCalls& held_;
  RestartedCalls& restarts_;
};

}  // namespace dpm
