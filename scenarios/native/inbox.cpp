#include "scenarios/native/inbox.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "model/check.hpp"
#include "scenarios/native/board.hpp"

namespace dpm::native {
namespace {

constexpr std::size_t kPeekBytes = 4096;                // beyond what has been seen; some ten messages
constexpr std::size_t kSeenBytesMax = 256 * 1024;       // of one sender; what is more is received before its time
constexpr short kGone = POLLRDHUP | POLLHUP | POLLERR;  // the sender will send no more

bool is_for_kernel(const FrameHeader& header) { return header.kind != FrameKind::message; }

// Without a limit it waits until one is ready. A process that was stopped and continues is interrupted here: the time
// for which it was stopped counts.
void poll_until_ready(std::vector<pollfd>& polled, std::optional<Duration> at_most) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t end_ns = at_most && at_most->ns > 0 ? monotonic_ns() + at_most->ns : 0;
  std::int64_t left_ns = at_most ? at_most->ns : 0;
  for (;;) {
    const timespec limit{left_ns / kSecond, left_ns % kSecond};
    if (::ppoll(polled.data(), polled.size(), at_most ? &limit : nullptr, nullptr) >= 0) return;
    if (errno != EINTR) fail_with_errno("wait for messages");
    if (end_ns != 0) left_ns = std::max<std::int64_t>(end_ns - monotonic_ns(), 0);
  }
}

}  // namespace

Inbox::Inbox(UniqueFd listener, RunIdentity run, Outbox& outbox)
    : listener_(std::move(listener)), run_(run), outbox_(outbox) {}

void Inbox::add_to(std::vector<pollfd>& polled) {
  connections_.remove_if([](const Connection& each) { return each.has_ended && each.seen.empty(); });
  polled.push_back({listener_.get(), POLLIN, 0});
  for (Connection& connection : connections_) {
    if (connection.has_ended) continue;
    wake_at(connection, connection.seen_bytes + sizeof(FrameHeader));
    polled.push_back({connection.socket.get(), POLLIN | POLLRDHUP, 0});
  }
}

void Inbox::look(bool wait, std::optional<Duration> at_most) {
  polled_.clear();
  add_to(polled_);
  outbox_.add_to(polled_);
  poll_until_ready(polled_, wait ? at_most : Duration{0});

  std::size_t at = 1;
  for (Connection& connection : connections_) {
    if (connection.has_ended) continue;
    const short ready = polled_[at++].revents;
    if (ready != 0) examine(connection, (ready & kGone) != 0);
  }
  if (polled_[0].revents != 0) accept_sender();
  if (!outbox_.is_empty()) outbox_.hand_over();
  for (Connection& connection : connections_)
    while (!connection.seen.empty() && is_for_kernel(connection.seen.front())) pass_front(connection);
}

void Inbox::accept_sender() {
  UniqueFd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket)
    connections_.push_back({.socket = std::move(socket)});
  else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
    fail_with_errno("accept a sender");
}

// A connection is readable when a header has come that was not seen yet. If none has, the kernel's buffer is full, and
// nothing more would ever come: so its content is received.
void Inbox::examine(Connection& connection, bool is_last_time) {
  bool found = peek(connection);
  while (found && is_last_time) found = peek(connection);
  if (connection.seen_bytes > kSeenBytesMax || (!found && !is_last_time)) pass_all(connection);
  if (is_last_time) connection.has_ended = true;
}

bool Inbox::peek(Connection& connection) {
  const std::size_t wanted = connection.seen_bytes + kPeekBytes;
  if (bytes_.size() < wanted) bytes_.resize(wanted);
  const ssize_t got = ::recv(connection.socket.get(), bytes_.data(), wanted, MSG_PEEK | MSG_DONTWAIT);
  if (got <= 0) return false;
  headers_.clear();
  if (!decode_headers(run_, {bytes_.data(), static_cast<std::size_t>(got)}, connection.seen_bytes, headers_)) {
    connection.seen.clear();  // a stranger
    connection.has_ended = true;
    return false;
  }
  for (const FrameHeader& header : headers_) {
    connection.seen.push_back(header);
    connection.seen_bytes += header.frame_bytes();
    if (header.kind == FrameKind::message || header.kind == FrameKind::data) continue;
    // A fetch is for the kernel, and does not wait for the program to receive what stands in front of it. But it may ask
    // for data that came before it.
    const auto& seen = connection.seen;
    const auto is_data = [](const FrameHeader& each) { return each.kind == FrameKind::data; };
    if (std::any_of(seen.begin(), seen.end(), is_data)) pass_all(connection);
    kernel_frames_.push_back({header, {}});
  }
  return !headers_.empty();
}

void Inbox::wake_at(Connection& connection, std::size_t bytes) {
  const int wanted = static_cast<int>(bytes);
  if (connection.wakes_at_bytes == wanted) return;
  if (::setsockopt(connection.socket.get(), SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof wanted) != 0)
    fail_with_errno("say how much to wait for");
  connection.wakes_at_bytes = wanted;
}

// ---- receiving

std::optional<double> Inbox::highest_rank(const FrameSelection& selection) const {
  std::optional<double> highest;
  const auto look_at = [&](const FrameHeader& header) { highest = std::max(highest, selection.rank(header)); };
  for (const Frame& frame : passed_) look_at(frame.header);
  for (const Connection& connection : connections_)
    for (const FrameHeader& header : connection.seen) look_at(header);
  return highest;
}

std::optional<Frame> Inbox::take(const FrameSelection& selection) {
  const Fits is_wanted = [&](const FrameHeader& header) { return selection.rank(header).has_value(); };
  std::optional<double> highest;
  const Fits is_highest = [&](const FrameHeader& header) { return selection.rank(header) == highest; };
  const Fits& fits = selection.by_rank ? is_highest : is_wanted;
  for (;;) {
    if (selection.by_rank && !(highest = highest_rank(selection))) return std::nullopt;
    Connection* from = nullptr;
    std::int64_t earliest_ns = INT64_MAX;
    auto kept = passed_.end();
    for (auto frame = passed_.begin(); frame != passed_.end(); ++frame) {
      if (frame->header.sent_ns >= earliest_ns || !fits(frame->header)) continue;
      kept = frame;
      earliest_ns = frame->header.sent_ns;
    }
    for (Connection& connection : connections_) {
      const auto found = std::find_if(connection.seen.begin(), connection.seen.end(), std::cref(fits));
      if (found == connection.seen.end() || found->sent_ns >= earliest_ns) continue;
      from = &connection;
      earliest_ns = found->sent_ns;
    }
    if (from != nullptr) {
      while (!from->seen.empty() && !fits(from->seen.front())) pass_front(*from);
      if (auto frame = receive_front(*from)) return frame;
      continue;  // its sender died while it sent the frame
    }
    if (kept == passed_.end()) return std::nullopt;
    Frame frame = std::move(*kept);
    passed_.erase(kept);
    return frame;
  }
}

std::optional<Frame> Inbox::receive_front(Connection& connection) {
  if (connection.seen.empty()) return std::nullopt;
  Frame frame{connection.seen.front(), {}};
  if (!receive_bytes(connection, frame.header.frame_bytes())) {
    connection.seen.clear();
    connection.seen_bytes = 0;
    connection.has_ended = true;
    return std::nullopt;
  }
  connection.seen.pop_front();
  connection.seen_bytes -= frame.header.frame_bytes();
  const auto data = bytes_.begin() + sizeof(FrameHeader);
  frame.data.assign(data, data + frame.header.data_bytes);
  return frame;
}

// Nearly always the whole message is there, and one recv() takes it. The sender of a long one may still keep its rest,
// and hands it over while it waits for this process. So this process hands over as well.
bool Inbox::receive_bytes(Connection& connection, std::size_t bytes) {
  if (bytes_.size() < bytes) bytes_.resize(bytes);
  std::size_t received = 0;
  while (received < bytes) {
    const ssize_t got = ::recv(connection.socket.get(), bytes_.data() + received, bytes - received, MSG_DONTWAIT);
    if (got == 0) return false;
    if (got > 0)
      received += static_cast<std::size_t>(got);
    else if (errno == EAGAIN)
      wait_for_the_rest(connection);
    else if (errno != EINTR)
      return false;
  }
  return true;
}

void Inbox::wait_for_the_rest(Connection& connection) {
  wake_at(connection, 1);
  polled_.assign(1, {connection.socket.get(), POLLIN, 0});
  outbox_.add_to(polled_);
  poll_until_ready(polled_, std::nullopt);
  outbox_.hand_over();
}

// Receives the first message before its time.
void Inbox::pass_front(Connection& connection) {
  auto frame = receive_front(connection);
  if (!frame) return;
  if (frame->header.kind == FrameKind::message)
    passed_.push_back(*std::move(frame));
  else if (frame->header.kind == FrameKind::data)
    kernel_frames_.push_back(*std::move(frame));
}

void Inbox::pass_all(Connection& connection) {
  while (!connection.seen.empty()) pass_front(connection);
}

std::optional<Frame> Inbox::take_kernel_frame() {
  if (kernel_frames_.empty()) return std::nullopt;
  Frame frame = std::move(kernel_frames_.front());
  kernel_frames_.pop_front();
  return frame;
}

void Inbox::bring(const Fits& fits) {
  for (Connection& connection : connections_) {
    const auto is_wanted = [&] { return std::any_of(connection.seen.begin(), connection.seen.end(), std::cref(fits)); };
    while (is_wanted()) pass_front(connection);
  }
}

}  // namespace dpm::native
