#include "backends/linux/transport/link/link_sender.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "backends/linux/transport/link/connect.hpp"

namespace dpm {
namespace {

using namespace std::chrono_literals;

constexpr auto kConnectPatience = 3000ms;
constexpr auto kGreetingPatience = 10s;  // for the handshake, and again until the collector says where to go on
constexpr auto kPauseMin = 50ms;
constexpr auto kPauseMax = 2000ms;
constexpr std::size_t kSendPiece = 64 * 1024;

int milliseconds_until(std::chrono::steady_clock::time_point until) {
  if (until == std::chrono::steady_clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void make_readable(int eventfd) {
  const std::uint64_t one = 1;
  (void)!::write(eventfd, &one, sizeof one);
}

}  // namespace

LinkSender::LinkSender(SharedLink& shared, FilterAddress filter, TlsContext tls, std::size_t batch_events,
                       std::chrono::nanoseconds delay, UniqueFd wake)
    : shared_(shared),
      filter_(std::move(filter)),
      tls_(std::move(tls)),
      batch_events_(batch_events),
      delay_(delay),
      wake_(std::move(wake)),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Signals are for others; and a connection that breaks while OpenSSL writes must not be one.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LinkSender::stop() {
  make_readable(stop_.get());
  make_readable(wake_.get());
  if (thread_.joinable()) thread_.join();
}

void LinkSender::wake() { make_readable(wake_.get()); }

bool LinkSender::stopped() {
  pollfd waiting = {stop_.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

void LinkSender::notice_wake() {
  std::uint64_t count = 0;
  (void)!::read(wake_.get(), &count, sizeof count);
  const std::lock_guard lock(shared_.mutex);
  shared_.wake_sent = false;
}

void LinkSender::note_problem(const std::string& problem) {
  const std::lock_guard lock(shared_.mutex);
  shared_.problem = problem;
}

// The addresses in their order, again and again, until everything is where it belongs.
void LinkSender::run() {
  auto length = kPauseMin;
  while (!stopped()) {
    for (const auto& host : filter_.hosts) {
      const std::uint64_t before = shared_.resumed;
      if (converse(host)) return;
      if (shared_.resumed != before) length = kPauseMin;
      if (stopped()) return;
      if (shared_.resumed != before) break;  // the first one first, again
    }
    pause(length);
    length = std::min<std::chrono::milliseconds>(length * 2, kPauseMax);
  }
}

void LinkSender::pause(std::chrono::milliseconds length) {
  pollfd waiting = {stop_.get(), POLLIN, 0};
  ::poll(&waiting, 1, static_cast<int>(length.count()));
}

// True when nothing is left to do.
bool LinkSender::converse(const std::string& host) {
  auto socket = connect_to(host, filter_.port, kConnectPatience, stop_.get());
  if (!socket) {
    note_problem(socket.error().what);
    return false;
  }
  TlsStream stream(tls_, *std::move(socket));
  if (!shake_hands(stream)) {
    note_problem("speak to the filter's collector at " + host + ": " +
                 (stream.problem().empty() ? "no answer" : stream.problem()));
    return false;
  }
  const auto done = exchange(stream);
  if (!done) note_problem("speak to the filter's collector at " + host + ": " + done.error().what);
  stream.say_goodbye();
  const std::lock_guard lock(shared_.mutex);
  return shared_.buffer.is_settled();
}

bool LinkSender::shake_hands(TlsStream& stream) {
  const auto until = Clock::now() + kGreetingPatience;
  while (Clock::now() < until && !stopped()) {
    const TlsStatus status = stream.handshake();
    if (status == TlsStatus::done) return true;
    if (status == TlsStatus::closed || status == TlsStatus::failed) return false;
    wait(stream, status == TlsStatus::wants_write ? POLLOUT : POLLIN, until);
  }
  return false;
}

void LinkSender::wait(TlsStream& stream, short events, Clock::time_point until) {
  std::array<pollfd, 3> waiting = {pollfd{stream.fd(), events, 0}, pollfd{wake_.get(), POLLIN, 0},
                                   pollfd{stop_.get(), POLLIN, 0}};
  ::poll(waiting.data(), waiting.size(), milliseconds_until(until));
  if (waiting[1].revents != 0) notice_wake();
}

// Puts into `out` what is to be sent now. True when the buffer waits for nothing but confirmations.
bool LinkSender::fill(std::string& out) {
  const std::lock_guard lock(shared_.mutex);
  LinkBuffer& buffer = shared_.buffer;
  const auto now = Clock::now();
  const bool full = buffer.unsent() >= batch_events_ || shared_.immediate || shared_.ending;
  if (buffer.unsent() == 0) {
    batch_due_ = Clock::time_point::max();
  } else if (batch_due_ == Clock::time_point::max()) {
    batch_due_ = now + std::chrono::duration_cast<Clock::duration>(delay_);
  }
  if (full || now >= batch_due_) {
    // What is in the spool alone waits for a confirmation, not for time.
    const bool produced = buffer.produce(out, kSendPiece);
    batch_due_ = produced && buffer.unsent() > 0 ? now : Clock::time_point::max();
  }
  return buffer.is_settled();
}

// False: the collector has said goodbye.
Result<bool> LinkSender::receive(TlsStream& stream, FrameReader& frames) {
  std::array<char, 16 * 1024> bytes;
  while (true) {
    const auto got = stream.read(bytes);
    if (got.status == TlsStatus::failed) return Error{stream.problem()};
    if (got.status == TlsStatus::closed) return false;
    if (got.status != TlsStatus::done) return true;
    frames.feed({bytes.data(), got.bytes});
    const std::lock_guard lock(shared_.mutex);
    while (true) {
      auto frame = frames.next();
      if (!frame) return frame.error();
      if (!frame->has_value()) break;
      const bool resumed = shared_.buffer.is_resumed();
      if (auto taken = shared_.buffer.take(*std::move(*frame)); !taken) return taken.error();
      if (!resumed && shared_.buffer.is_resumed()) {
        ++shared_.resumed;
        shared_.problem.clear();
      }
    }
    shared_.moved.notify_all();
  }
}

Result<void> LinkSender::exchange(TlsStream& stream) {
  FrameReader frames(wire::kMeterFrameBodyBytesMax);
  std::string out;
  {
    const std::lock_guard lock(shared_.mutex);
    out = shared_.buffer.greeting();
  }
  std::size_t sent = 0;
  const std::uint64_t resumed_before = shared_.resumed;
  const auto greeting_due = Clock::now() + kGreetingPatience;
  while (!stopped()) {
    const auto open = receive(stream, frames);
    if (!open) return open.error();
    if (!*open) return Error{"it has ended the connection"};
    if (shared_.resumed == resumed_before && Clock::now() > greeting_due) return Error{"it does not answer"};
    if (sent == out.size()) {
      out.clear();
      sent = 0;
      if (fill(out)) return {};
    }
    short events = POLLIN;
    if (sent < out.size()) {
      const auto written = stream.write(std::string_view(out).substr(sent));
      if (written.status == TlsStatus::failed || written.status == TlsStatus::closed)
        return Error{stream.problem().empty() ? "it has ended the connection" : stream.problem()};
      sent += written.bytes;
      if (written.status == TlsStatus::done) continue;
      if (written.status == TlsStatus::wants_write) events |= POLLOUT;
    }
    wait(stream, events, shared_.resumed == resumed_before ? greeting_due : batch_due_);
  }
  return Error{"we were told to stop"};
}

}  // namespace dpm
