#include <fcntl.h>

#include <cerrno>
#include <dpm/monitor/message_queue.hpp>

namespace dpm::monitor {

bool MessageQueue::open(const char* path, long messages_most, long bytes_most, Report report) {
  close(report);
  mq_attr limits{};
  limits.mq_maxmsg = messages_most;
  limits.mq_msgsize = bytes_most;
  queue_ = mq_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600, &limits);
  if (queue_ < 0) return false;
  happened(Action::kOpen, 0, report);
  return true;
}

void MessageQueue::close(Report report) {
  if (queue_ < 0) return;
  mq_close(queue_);
  queue_ = -1;
  happened(Action::kClose, 0, report);
}

bool MessageQueue::send(const void* data, std::size_t bytes, unsigned priority, Report report) {
  int status = 0;
  do status = mq_send(queue_, static_cast<const char*>(data), bytes, priority);
  while (status != 0 && errno == EINTR);
  if (status != 0) return false;
  happened(Action::kSend, static_cast<std::int64_t>(bytes), report);
  return true;
}

ssize_t MessageQueue::receive(void* buffer, std::size_t bytes, Report report) {
  ssize_t got = 0;
  do got = mq_receive(queue_, static_cast<char*>(buffer), bytes, nullptr);
  while (got < 0 && errno == EINTR);
  if (got >= 0) happened(Action::kReceive, got, report);
  return got;
}

}  // namespace dpm::monitor
