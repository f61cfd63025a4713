// A binary heap of items 0..n-1 by (key, item), in which an item's key can be changed: stale entries do not accumulate,
// however often a machine's next completion moves.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace dpm {

class IndexedHeap {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  void reset(std::size_t items) {
    heap_.clear();
    place_.assign(items, kAbsent);
  }

  bool empty() const { return heap_.empty(); }
  bool contains(std::uint32_t item) const { return place_[item] != kAbsent; }
  double least_key() const { return heap_.empty() ? kNever : heap_.front().key; }
  std::uint32_t least() const { return heap_.front().item; }
  double key_of(std::uint32_t item) const { return contains(item) ? heap_[place_[item]].key : kNever; }

  // Inserts `item`, or changes its key.
  void set(std::uint32_t item, double key) {
    std::uint32_t at = place_[item];
    if (at == kAbsent) {
      at = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({key, item});
      rise(at, {key, item});
    } else if (key < heap_[at].key) {
      rise(at, {key, item});
    } else {
      sink(at, {key, item});
    }
  }

  void erase(std::uint32_t item) {
    const std::uint32_t at = place_[item];
    if (at == kAbsent) return;
    place_[item] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (last.item == item) return;
    if (at > 0 && before(last, heap_[(at - 1) / 2])) {
      rise(at, last);
    } else {
      sink(at, last);
    }
  }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  struct Entry {
    double key;
    std::uint32_t item;
  };

  static bool before(const Entry& a, const Entry& b) { return a.key < b.key || (a.key == b.key && a.item < b.item); }

  void put(std::uint32_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[entry.item] = at;
  }

  void rise(std::uint32_t at, const Entry& entry) {
    while (at > 0 && before(entry, heap_[(at - 1) / 2])) {
      put(at, heap_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    put(at, entry);
  }

  void sink(std::uint32_t at, const Entry& entry) {
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (std::uint32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], entry)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> place_;
};

}  // namespace dpm
