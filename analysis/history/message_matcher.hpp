// Joins the two ends of messages, seen in any order: a hash table of the messages with one end seen.
//
// Open addressing with linear probing; an entry is removed as soon as the other end comes, and the hole is closed by
// moving later entries back, so the table never fills with tombstones. Its size follows the largest number of messages
// in flight.
#pragma once

#include <cstdint>
#include <vector>

#include "model/message_key.hpp"

namespace dpm {

enum class MessageEnd : std::uint8_t { send, receive };

class MessageMatcher {
 public:
  // Which event the end is: `index` counts within `process`. `time_ns` is any value that the caller wants back.
  struct Entry {
    MessageKey key;
    std::int64_t time_ns = 0;
    std::uint32_t index = 0;
    std::uint32_t process : 30 = 0;
    std::uint32_t used : 1 = 0;
    std::uint32_t end : 1 = 0;
  };
  static_assert(sizeof(Entry) == 32);

  MessageMatcher() : entries_(kFirstSize) {}

  // The waiting end with this key, or nullptr. Valid until the next insert() or erase().
  Entry* find(const MessageKey& key) {
    Entry& entry = entries_[slot_of(key)];
    return entry.used ? &entry : nullptr;
  }

  // `key` must not be in the table.
  void insert(const MessageKey& key, MessageEnd end, std::uint32_t process, std::uint32_t index,
              std::int64_t time_ns = 0) {
    if ((count_ + 1) * 3 > entries_.size() * 2) grow();
    Entry& entry = entries_[slot_of(key)];
    entry.key = key;
    entry.time_ns = time_ns;
    entry.index = index;
    entry.process = process & 0x3fffffffu;
    entry.used = 1;
    entry.end = end == MessageEnd::receive;
    ++count_;
  }

  void erase(Entry* entry) {
    const std::size_t mask = entries_.size() - 1;
    std::size_t hole = static_cast<std::size_t>(entry - entries_.data());
    for (std::size_t next = (hole + 1) & mask; entries_[next].used; next = (next + 1) & mask) {
      const std::size_t home = MessageKeyHash()(entries_[next].key) & mask;
      // An entry may move back unless its home lies cyclically within (hole, next].
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        entries_[hole] = entries_[next];
        hole = next;
      }
    }
    entries_[hole].used = 0;
    --count_;
  }

  std::size_t waiting() const { return count_; }

  // Calls use(entry) for every end that waits, in no order.
  template <typename Use>
  void for_each(Use use) const {
    for (const Entry& entry : entries_)
      if (entry.used) use(entry);
  }

 private:
  static constexpr std::size_t kFirstSize = 1024;  // a power of two, as every size

  // Where `key` is, or the free slot where it belongs.
  std::size_t slot_of(const MessageKey& key) const {
    const std::size_t mask = entries_.size() - 1;
    std::size_t slot = MessageKeyHash()(key) & mask;
    while (entries_[slot].used && !(entries_[slot].key == key)) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.used) entries_[slot_of(entry.key)] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace dpm
