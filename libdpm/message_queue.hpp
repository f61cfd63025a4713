// A queue of messages by name (S3 3.2, appendix B.5): it keeps the bounds of messages, and those of a higher priority come first.
#pragma once

#include <mqueue.h>
#include <sys/types.h>

#include <dpm/monitor/object.hpp>

namespace dpm::monitor {

class MessageQueue : private Named {
 public:
  MessageQueue(Monitor* owner, const char* function, const char* name)
      : Named(owner, Kind::kMessageQueue, function, name, true) {}
  ~MessageQueue() { close(); }
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;

  // False with errno. `path` is "/name", as for mq_open; a queue that exists keeps its limits.
  bool open(const char* path, long messages_most = 10, long bytes_most = 8192, Report report = Report::kYes);
  void close(Report report = Report::kYes);
  static bool remove(const char* path) { return mq_unlink(path) == 0; }

  bool send(const void* data, std::size_t bytes, unsigned priority = 0, Report report = Report::kYes);
  // `bytes` is at least the queue's longest message. -1 with errno.
  ssize_t receive(void* buffer, std::size_t bytes, Report report = Report::kYes);

 private:
  mqd_t queue_ = -1;
};

}  // namespace dpm::monitor
