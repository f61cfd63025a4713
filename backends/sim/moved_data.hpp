// MOVEDATA (thesis 4.2.1): "the kernel sends a sequence of messages containing the data to be transferred".
//
//   push     the caller owns the source        its kernel sends at once; the call returns when the last message is sent
//   pull     the caller owns the destination   a request travels to the source's kernel first; the call returns when
//                                              the last byte has arrived, because no message would tell the caller
//   third    it owns neither                   a request travels first; the call returns when the last message is sent
//
// Each message is a SEND of the process that owns the source, marked as the kernel's. It costs that process the CPU
// time of a send, and its receiver nothing. The bytes are read when they are sent and stored when they arrive.
#pragma once

#include <cstdint>

#include "backends/sim/call_frame.hpp"

namespace dpm::sim {

class MovedData {
 public:
  MovedData(Simulation& simulation, Process& caller, CallFrame& frame)
      : simulation_(simulation), caller_(caller), frame_(frame) {}

  void move(LinkIndex from, LinkIndex to, std::uint64_t bytes);

 private:
  const Link& link_with_area(LinkIndex index, std::uint64_t bytes, bool read) const;
  void send(Process& source, const Link& from, const Link& to, std::uint64_t bytes, bool wake_caller);
  Packet& packet_for(Process& source, const Link& from, const Link& to, std::uint64_t offset, std::uint64_t bytes,
                     bool wake_caller);
  [[noreturn]] void fail_as_shrunk(const Process& owner) const;

  Simulation& simulation_;
  Process& caller_;
  CallFrame& frame_;
};

}  // namespace dpm::sim
