// Receives that wait in the supervisor instead of in the kernel, so that a RECEIVE is recorded when its data is there
// and not when it was asked for.
//
// A held call's socket is watched by a *weak* reference: its duplicate is put into an epoll set and closed at once.
// Events still arrive, and when the program closes its last descriptor the kernel removes the entry: peers see closing,
// exit and end of file as without a meter. A later change of the entry needs the same file at the same descriptor
// number, so every hold has its own number, which a placeholder keeps between uses.
//
// A signal ends a hold without a message, and its entry may fire later. Generations tell such firings apart.
#pragma once

#include <cstdint>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class HoldTable {
 public:
  static constexpr std::size_t kHoldsMax = 4000;

  // Watches are registered in `epoll_fd`; ticket() makes their data.
  explicit HoldTable(int epoll_fd) : epoll_fd_(epoll_fd) {}

  struct Ticket {
    std::uint32_t place = 0;
    std::uint32_t generation = 0;
  };
  static std::uint64_t data_of(Ticket ticket) {
    return static_cast<std::uint64_t>(ticket.generation) << 32 | ticket.place | kIsHold;
  }
  static bool is_hold(std::uint64_t data) { return (data & kIsHold) != 0; }
  static Ticket ticket_of(std::uint64_t data) {
    return {static_cast<std::uint32_t>(data & (kIsHold - 1)), static_cast<std::uint32_t>(data >> 32)};
  }

  // Begins to watch `borrowed` for reading. Nothing when the table is full, or the file cannot be watched.
  Result<Ticket> watch(int borrowed);
  // Watches again after it fired once.
  bool watch_again(Ticket ticket, int borrowed);
  // The place is free for another hold.
  void release(Ticket ticket);
  bool is_current(Ticket ticket) const {
    return ticket.place < places_.size() && places_[ticket.place].generation == ticket.generation;
  }

 private:
  static constexpr std::uint64_t kIsHold = 1u << 31;
  struct Place {
    UniqueFd number;  // a placeholder that reserves the number
    std::uint32_t generation = 1;
  };
  bool add_place();
  bool register_watch(std::uint32_t place, int borrowed);

  int epoll_fd_ = -1;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

}  // namespace dpm
