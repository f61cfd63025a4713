// What travels: a message of a program, a part of a MOVEDATA, a meter message, or something else that happens at a time
// to come.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "backends/sim/links.hpp"
#include "backends/sim/true_time.hpp"
#include "model/delay_model.hpp"
#include "model/event.hpp"

namespace dpm::sim {

struct Process;

struct Packet {
  Process* from = nullptr;
  Process* to = nullptr;
  Channel* channel = nullptr;
  std::uint64_t sequence = 0;
  std::uint32_t code = 0;
  std::uint32_t length_bytes = 0;
  std::uint64_t answers_call = 0;      // it is the reply to this CALL of `to`
  const DelayClass* delays = nullptr;  // of the machines between which it was sent
  std::vector<std::byte> data;
  std::optional<Link> passed;
  std::optional<Link> reply_to;
  std::vector<Event> meter_events;          // a meter message
  std::function<void(Packet&)> on_arrival;  // of moved data: what the receiving kernel does instead of queueing it
  std::function<void()> action;             // nothing travels: something happens

  void clear() { *this = Packet{}; }
};

// Packets are used again: a simulation allocates as many as are ever under way at once.
class PacketPool {
 public:
  Packet& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<Packet>());
      return *all_.back();
    }
    Packet& packet = *free_.back();
    free_.pop_back();
    return packet;
  }

  void give_back(Packet& packet) {
    packet.clear();
    free_.push_back(&packet);
  }

 private:
  std::vector<std::unique_ptr<Packet>> all_;
  std::vector<Packet*> free_;
};

}  // namespace dpm::sim
