#include "backends/linux/supervisor/hold_table.hpp"

#include <fcntl.h>
#include <sys/epoll.h>

#include <cerrno>

namespace dpm {

bool HoldTable::add_place() {
  if (places_.size() >= kHoldsMax) return false;
  UniqueFd number(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!number) return false;
  places_.push_back({std::move(number), 1});
  free_.push_back(static_cast<std::uint32_t>(places_.size() - 1));
  return true;
}

bool HoldTable::register_watch(std::uint32_t place, int borrowed) {
  const int number = places_[place].number.get();
  UniqueFd placeholder(::fcntl(number, F_DUPFD_CLOEXEC, number + 1));
  if (!placeholder || ::dup3(borrowed, number, O_CLOEXEC) < 0) return false;
  epoll_event event = {};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  event.data.u64 = data_of({place, places_[place].generation});
  bool watched = ::epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, number, &event) == 0;
  // The same file was watched from this place before: the entry is still there.
  if (!watched && errno == EEXIST) watched = ::epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, number, &event) == 0;
  ::dup3(placeholder.get(), number, O_CLOEXEC);
  return watched;
}

Result<HoldTable::Ticket> HoldTable::watch(int borrowed) {
  if (free_.empty() && !add_place()) return Error{"more calls wait than can be watched"};
  const std::uint32_t place = free_.back();
  if (!register_watch(place, borrowed)) return Error::from_errno("watch a waiting call's descriptor");
  free_.pop_back();
  return Ticket{place, places_[place].generation};
}

bool HoldTable::watch_again(Ticket ticket, int borrowed) {
  return is_current(ticket) && register_watch(ticket.place, borrowed);
}

void HoldTable::release(Ticket ticket) {
  if (!is_current(ticket)) return;
  ++places_[ticket.place].generation;
  free_.push_back(ticket.place);
}

}  // namespace dpm
