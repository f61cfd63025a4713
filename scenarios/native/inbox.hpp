// What has arrived at a process and is not received yet. It stays in the kernel's buffers, one connection for each
// sender, until the program asks for it:
//
//                                   seen (MSG_PEEK)          not looked at yet
//   connection of sender 3     [header|...][header|...][header|...     <--- the sender
//   connection of sender 5     [header|...
//
// look() reads the headers of what is there, and take() receives the earliest message that fits. So a message is
// received when the program receives it, and a meter sees that. Only a message that stands in front of the wanted one,
// from the same sender, is received before its time, and kept here.
#pragma once

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <vector>

#include "model/time.hpp"
#include "os/unique_fd.hpp"
#include "scenarios/native/frame.hpp"
#include "scenarios/native/outbox.hpp"

namespace dpm::native {

using Fits = std::function<bool(const FrameHeader&)>;

// Which frames are wanted, and how much: nothing for one that is not.
struct FrameSelection {
  std::function<std::optional<double>(const FrameHeader&)> rank;
  bool by_rank = false;  // those that are wanted have different ranks
};

class Inbox {
 public:
  // `listener` is bound already: senders may connect before this process runs.
  Inbox(UniqueFd listener, RunIdentity run, Outbox& outbox);

  // Reads the headers of what has arrived. If nothing has, `wait` decides whether it waits, for at most `at_most`. Meanwhile the outbox hands
  // over what the kernel takes. Frames of MOVEDATA are received on the way: they are for the process's kernel, not for
  // its program.
  void look(bool wait, std::optional<Duration> at_most = std::nullopt);

  // For a poll() outside: what look() would wait for.
  void add_to(std::vector<pollfd>& polled);

  // The earliest message of those with the highest rank, among what look() has seen.
  std::optional<Frame> take(const FrameSelection& selection);

  // What look() and take() found for the process's kernel: data that were moved here, fetches and their answers, each
  // once. Data that stand behind messages wait until those are received; bring() receives them.
  std::optional<Frame> take_kernel_frame();
  void bring(const Fits& fits);

 private:
  struct Connection {
    UniqueFd socket;
    std::deque<FrameHeader> seen = {};
    std::size_t seen_bytes = 0;
    int wakes_at_bytes = 0;  // SO_RCVLOWAT
    bool has_ended = false;  // all that it will ever bring has been seen
  };

  std::optional<double> highest_rank(const FrameSelection& selection) const;
  void accept_sender();
  void examine(Connection& connection, bool is_last_time);
  bool peek(Connection& connection);
  void wake_at(Connection& connection, std::size_t bytes);
  std::optional<Frame> receive_front(Connection& connection);
  bool receive_bytes(Connection& connection, std::size_t bytes);
  void wait_for_the_rest(Connection& connection);
  void pass_front(Connection& connection);
  void pass_all(Connection& connection);

  UniqueFd listener_;
  const RunIdentity run_;
  Outbox& outbox_;
  std::list<Connection> connections_;
  std::deque<Frame> passed_;  // messages received before their time
  std::deque<Frame> kernel_frames_;
  std::vector<pollfd> polled_;
  std::vector<std::byte> bytes_;
  std::vector<FrameHeader> headers_;
};

}  // namespace dpm::native
