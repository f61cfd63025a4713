// The meter's connection to its filter's collector: connects, sends what waits in the LinkBuffer, reads confirmations, and
// connects again after a break. Its coroutines share the buffer with the thread that fills it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "control/transport/frames/filter_address.hpp"
#include "control/transport/link/link_buffer.hpp"
#include "control/transport/link/link_watch.hpp"
#include "control/transport/tls/tls_context.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// Shared by both threads, under its mutex.
struct SharedLink {
  explicit SharedLink(LinkBuffer filled) : buffer(std::move(filled)) {}

  std::mutex mutex;
  std::condition_variable moved;  // something was confirmed, or the filter is gone
  LinkBuffer buffer;
  bool immediate = false;
  bool ending = false;     // send at once: batches need not fill up any more
  bool stopped = false;    // the sender has finished with the buffer
  bool wake_sent = false;  // the sender has not noticed it yet
  std::string problem;     // of the last attempt
};

class LinkSender {
 public:
  struct Options {
    std::string identity;               // of whose key the filter's address has
    std::size_t batch_events = 0;       // a batch waits for this many,
    std::chrono::nanoseconds delay{0};  // at most this long
    // Called in the io_context's thread when events stop reaching the filter, about once a second while more come to
    // wait, and when they reach it again.
    std::function<void(const LinkStatus&)> on_status;
    // Makes a connection to the collector instead of connecting to the filter's address. In the io_context's thread.
    std::function<Result<UniqueFd>()> dial;
  };

  // One thread runs the io_context until the sender is destroyed.
  LinkSender(asio::io_context& context, std::shared_ptr<SharedLink> shared, FilterAddress filter, TlsContext tls,
             Options options);
  LinkSender(const LinkSender&) = delete;
  LinkSender& operator=(const LinkSender&) = delete;
  ~LinkSender() { stop(); }

  // From any thread, without the mutex.
  void wake();
  void stop();  // afterwards only the caller uses the buffer

 private:
  class Work;
  asio::io_context& context_;
  std::shared_ptr<SharedLink> shared_;
  std::shared_ptr<Work> work_;  // shared with its coroutines
};

}  // namespace dpm
