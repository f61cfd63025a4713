// MOVEDATA in a native run. Its data travel as frames of the source's process, on the same connection as its messages.
//
//   push     the caller owns the source        it sends at once
//   pull     the caller owns the destination   a fetch to the source's process, which sends; the last data end the call
//   third    it owns neither                   a fetch to the source's process, which sends and answers the fetch
//
// A process serves fetches, and stores data that come to it, when it makes a call that looks at what has arrived. While
// the program computes, nothing of ours runs that could do it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenarios/native/mailbox.hpp"

namespace dpm::native {

class MovedData {
 public:
  MovedData(const Membership& member, Mailbox& mailbox) : member_(member), mailbox_(mailbox) {}

  // Both links have areas of that many bytes.
  void move(const Link& from, const Link& to, std::uint64_t bytes);
  // Serves what has arrived for the process's kernel.
  void serve();

  std::vector<std::byte>& address_space() { return address_space_; }

 private:
  void store(const Frame& data);
  void send(std::uint64_t offset_bytes, const Link& to, std::uint64_t bytes, std::uint64_t fetch);

  const Membership& member_;
  Mailbox& mailbox_;
  std::vector<std::byte> address_space_;
  std::uint64_t fetches_made_ = 0;
  std::uint64_t fetches_done_ = 0;
};

}  // namespace dpm::native
