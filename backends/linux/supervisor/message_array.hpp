// The array of struct mmsghdr that a recvmmsg() fills. It shows how many datagrams the call took.
//
// The kernel fills the entries in order, and tells only the program how many. So the supervisor reads the memory when
// the call begins and when it is over: an entry whose length, sender or data changed was filled, and so were all before
// it. The program may have reused its headers by then. So fields that the program sets (the buffer sizes) are not
// compared, and if the first lengths are not those of the datagrams that were seen waiting, the array shows nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dpm {

// What one entry says.
struct MessageEntry {
  std::uint64_t length_bytes = 0;
  std::uint64_t contents = 0;  // a hash of the sender's name and of the first bytes of the data
  std::string sender_name;     // of an Internet socket, if the program asks for it
  bool fits = true;            // the length is not more than there is room for
  std::uint32_t part_bytes =
      0;  // it is several that the kernel has merged (UDP_GRO), of this length; 0: not as far as it says
  bool tells_parts = false;  // the kernel had room to say so
};

class MessageArray {
 public:
  static constexpr std::size_t kEntriesMax = 1024;  // further ones are not read

  MessageArray() = default;
  // Where the call lets the kernel write. Fewer than `count` entries if its memory cannot be read.
  MessageArray(std::uint32_t tid, std::uint64_t address, std::size_t count);

  std::vector<MessageEntry> read(std::uint32_t tid) const;
  std::size_t size() const { return rooms_.size(); }
  bool overlaps(const MessageArray& other) const;

 private:
  struct Room {
    std::uint64_t data = 0, data_bytes = 0, name = 0, name_bytes = 0;
    std::uint64_t control = 0, control_bytes = 0;
    std::uint64_t most_bytes = UINT64_MAX;  // that the entry has room for, if that is known
  };
  std::uint64_t address_ = 0;
  std::vector<Room> rooms_;
};

// How many entries were filled between the two readings. `seen`: the lengths of the datagrams that waited when the call
// was let go, which it took first. `takes_all`: it returns when all entries are filled.
struct MessagesTaken {
  std::size_t count = 0;          // `seen` among them
  bool lengths_are_gone = false;  // of those that were not seen: the program has reused its headers
};
MessagesTaken messages_taken(std::span<const MessageEntry> before, std::span<const MessageEntry> after,
                             std::span<const std::uint64_t> seen, bool takes_all);

}  // namespace dpm
