// The meter's connection to its filter's collector: makes it, sends what waits in the LinkBuffer, takes what comes, and
// makes it again when it breaks. A coroutine of the io_context that shares the buffer with the thread that fills it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "backends/linux/transport/frames/filter_address.hpp"
#include "backends/linux/transport/link/link_buffer.hpp"
#include "backends/linux/transport/tls/tls_context.hpp"

namespace dpm {

// What both use, under its mutex.
struct SharedLink {
  explicit SharedLink(LinkBuffer filled) : buffer(std::move(filled)) {}

  std::mutex mutex;
  std::condition_variable moved;  // something was confirmed, or the filter is gone
  LinkBuffer buffer;
  bool immediate = false;
  bool ending = false;     // nothing is worth waiting for others any more
  bool stopped = false;    // the sender does not touch the buffer any more
  bool wake_sent = false;  // the sender has not yet noticed
  std::string problem;     // of the last attempt
};

class LinkSender {
 public:
  struct Options {
    std::size_t batch_events = 0;       // wait for one another,
    std::chrono::nanoseconds delay{0};  // so long at most
  };

  // The io_context is run, by one thread, until the sender is gone.
  LinkSender(asio::io_context& context, std::shared_ptr<SharedLink> shared, FilterAddress filter, TlsContext tls,
             Options options);
  LinkSender(const LinkSender&) = delete;
  LinkSender& operator=(const LinkSender&) = delete;
  ~LinkSender() { stop(); }

  // From any thread, without the mutex.
  void wake();
  void stop();  // from then on the buffer is the caller's alone

 private:
  class Work;
  asio::io_context& context_;
  std::shared_ptr<SharedLink> shared_;
  std::shared_ptr<Work> work_;  // shared with its coroutines
};

}  // namespace dpm
