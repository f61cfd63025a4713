// The announcements of this machine's kernel: the process events connector and the socket diagnosis.
#pragma once

#include <string>

#include "backends/linux/supervisor/announcement_budget.hpp"
#include "backends/linux/supervisor/kernel_news.hpp"
#include "model/result.hpp"

namespace dpm {

class LinuxKernelNews : public KernelNews {
 public:
  // Announcements and ends of watched threads wake `epoll_fd`, with these data; in those of an end, the upper half is
  // the thread.
  LinuxKernelNews(int epoll_fd, std::uint64_t change_data, std::uint32_t end_data);

  bool tells_of_processes() const override { return static_cast<bool>(connector_); }
  bool drain(const std::function<void(const ProcessChange&)>& take) override;
  void await(int milliseconds) override;
  void watch_end(int thread_fd, std::uint32_t tid) override;
  bool tells_of_sockets() const override { return static_cast<bool>(closed_sockets_); }
  SocketNews drain_closed_sockets(const std::function<void(const ClosedSocket&)>& take,
                                  std::int64_t steady_now_ns) override;
  bool await_closed_socket(int milliseconds) override;

  // Why nothing is announced about processes.
  const std::string& why_not() const { return connector_.error().what; }

 private:
  int epoll_fd_;
  std::uint32_t end_data_;
  Result<ProcessConnector> connector_;
  Result<ClosedSockets> closed_sockets_;
  AnnouncementBudget closed_budget_;
  bool listens_to_closed_ = true;
};

}  // namespace dpm
