// The launcher's end of the connections over which processes ask for others to be created, stopped or moved: it is their
// process manager. A request is a CALL of an ordinary message, and so is its answer, as in a simulation.
#pragma once

#include <poll.h>

#include <optional>
#include <vector>

#include "model/result.hpp"
#include "scenarios/native/inbox.hpp"

namespace dpm::native {

class ManagerSocket {
 public:
  // `ports`: of every process, and of the process manager, which is the last.
  ManagerSocket(UniqueFd listener, RunIdentity run, const std::vector<std::uint16_t>& ports)
      : run_(run), outbox_(ports), inbox_(std::move(listener), run, outbox_) {}

  // What a poll() must watch, so that next_request() is called when there may be one.
  void add_to(std::vector<pollfd>& polled);
  std::optional<Frame> next_request();
  // With a link to pass, or the reason for a refusal.
  void answer(const FrameHeader& request, const Result<std::optional<Link>>& answer);

 private:
  RunIdentity run_;
  Outbox outbox_;
  Inbox inbox_;
};

}  // namespace dpm::native
