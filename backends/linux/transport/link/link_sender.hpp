// The thread that has the connection: makes it, sends what waits in the LinkBuffer, takes what comes, and makes it anew
// when it breaks. Shares the buffer with the thread that fills it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "backends/linux/transport/frames/filter_address.hpp"
#include "backends/linux/transport/link/link_buffer.hpp"
#include "backends/linux/transport/tls/tls_stream.hpp"

namespace dpm {

// What both threads use, under its mutex.
struct SharedLink {
  explicit SharedLink(LinkBuffer filled) : buffer(std::move(filled)) {}

  std::mutex mutex;
  std::condition_variable moved;  // something was confirmed, or the filter is gone
  LinkBuffer buffer;
  bool immediate = false;
  bool ending = false;        // nothing is worth waiting for others any more
  bool wake_sent = false;     // the sender has not yet noticed
  std::uint64_t resumed = 0;  // conversations that came so far
  std::string problem;        // of the last attempt
};

class LinkSender {
 public:
  // All it refers to lives longer.
  LinkSender(SharedLink& shared, FilterAddress filter, TlsContext tls, std::size_t batch_events,
             std::chrono::nanoseconds delay, UniqueFd wake);
  ~LinkSender() { stop(); }

  void wake();  // from any thread
  void stop();  // leaves at once; from then on the buffer is the caller's alone

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  bool converse(const std::string& host);
  bool shake_hands(TlsStream& stream);
  Result<void> exchange(TlsStream& stream);
  Result<bool> receive(TlsStream& stream, FrameReader& frames);
  bool fill(std::string& out);
  void wait(TlsStream& stream, short events, Clock::time_point until);
  void pause(std::chrono::milliseconds length);
  void notice_wake();
  void note_problem(const std::string& problem);
  bool stopped();

  SharedLink& shared_;
  FilterAddress filter_;
  TlsContext tls_;
  std::size_t batch_events_;
  std::chrono::nanoseconds delay_;
  UniqueFd wake_;  // an eventfd
  UniqueFd stop_;  // an eventfd, readable for ever once it is time
  Clock::time_point batch_due_ = Clock::time_point::max();
  std::thread thread_;
};

}  // namespace dpm
