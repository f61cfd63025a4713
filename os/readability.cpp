#include "os/readability.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

namespace dpm {

UniqueFd readability_of(int fd) {
  UniqueFd watched(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event = {};
  event.events = EPOLLIN;
  if (watched && ::epoll_ctl(watched.get(), EPOLL_CTL_ADD, fd, &event) == 0) return watched;
  return UniqueFd(::eventfd(1, EFD_CLOEXEC));
}

}  // namespace dpm
