// The messages on their way to one process of a replay, or in its queue: a binary heap in the canonical order of
// arrival.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace dpm {

struct ArrivingMessage {
  std::int64_t arrival_ns = 0;
  std::uint32_t sender = 0;
  std::uint32_t order = 0;    // counts what `sender` has sent
  std::uint32_t send = 0;     // the SEND, or the SEND to outside that an external message answers
  std::uint32_t receive = 0;  // the RECEIVE that took it in the trace

  friend bool operator<(const ArrivingMessage& a, const ArrivingMessage& b) {
    return std::tie(a.arrival_ns, a.sender, a.order) < std::tie(b.arrival_ns, b.sender, b.order);
  }
};

class ArrivedMessages {
 public:
  static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

  void clear() { heap_.clear(); }
  bool empty() const { return heap_.empty(); }
  const ArrivingMessage& operator[](std::size_t at) const { return heap_[at]; }

  void push(const ArrivingMessage& message) {
    heap_.push_back(message);
    rise(heap_.size() - 1, message);
  }

  std::size_t first() const { return heap_.empty() ? kNothing : 0; }

  // The first of the wanted messages to arrive. Linear in the queue: only selective receives pay for it.
  template <typename Wanted>
  std::size_t first_of(Wanted wanted) const {
    std::size_t best = kNothing;
    for (std::size_t at = 0; at < heap_.size(); ++at) {
      if ((best == kNothing || heap_[at] < heap_[best]) && wanted(heap_[at])) best = at;
    }
    return best;
  }

  ArrivingMessage take(std::size_t at) {
    const ArrivingMessage taken = heap_[at];
    const ArrivingMessage last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return taken;
    if (at > 0 && last < heap_[(at - 1) / 2]) {
      rise(at, last);
    } else {
      sink(at, last);
    }
    return taken;
  }

 private:
  void rise(std::size_t at, const ArrivingMessage message) {
    while (at > 0 && message < heap_[(at - 1) / 2]) {
      heap_[at] = heap_[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap_[at] = message;
  }

  void sink(std::size_t at, const ArrivingMessage message) {
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < message)) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = message;
  }

  std::vector<ArrivingMessage> heap_;
};

}  // namespace dpm
