// A list that grows in blocks of doubling size and is read once at the end, freeing its memory as it is read.
//
// A std::vector would copy itself as it grows, and hold everything twice while it is copied into the graph; here a
// block is freed as soon as it has been read. Untouched parts of the last block cost address space, not memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace dpm {

template <typename T>
class GrowingList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  std::size_t size() const { return size_; }

  void push_back(const T& value) {
    const Slot slot = slot_of(size_);
    if (slot.block == blocks_.size()) blocks_.push_back(allocate(kFirst << slot.block));
    std::construct_at(blocks_[slot.block].get() + slot.offset, value);
    ++size_;
  }

  // Appends that number of elements: fill(span) writes them, block by block.
  template <typename Fill>
  void append(std::size_t count, Fill fill) {
    while (count > 0) {
      const Slot slot = slot_of(size_);
      if (slot.block == blocks_.size()) blocks_.push_back(allocate(kFirst << slot.block));
      const std::size_t here = std::min(count, (kFirst << slot.block) - slot.offset);
      T* const first = blocks_[slot.block].get() + slot.offset;
      std::uninitialized_default_construct_n(first, here);
      fill(std::span<T>(first, here));
      size_ += here;
      count -= here;
    }
  }

  T& operator[](std::size_t index) {
    const Slot slot = slot_of(index);
    return blocks_[slot.block].get()[slot.offset];
  }

  // Calls `use(span)` on the elements from `first` to before `end`, in order, block by block.
  template <typename Use>
  void for_each_block(std::size_t first, std::size_t end, Use use) const {
    while (first < end) {
      const Slot slot = slot_of(first);
      const std::size_t here = std::min(end - first, (kFirst << slot.block) - slot.offset);
      use(std::span<const T>(blocks_[slot.block].get() + slot.offset, here));
      first += here;
    }
  }

  // Calls `use(span)` on the elements in order, block by block.
  template <typename Use>
  void for_each_block(Use use) const {
    std::size_t left = size_;
    for (std::size_t block = 0; block < blocks_.size() && left > 0; ++block) {
      const std::size_t here = std::min(left, kFirst << block);
      use(std::span<const T>(blocks_[block].get(), here));
      left -= here;
    }
  }

  // Calls `use(T&)` on every element in order, and leaves the list empty.
  template <typename Use>
  void consume(Use use) {
    std::size_t left = size_;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      const std::size_t here = std::min(left, kFirst << block);
      for (std::size_t i = 0; i < here; ++i) use(blocks_[block].get()[i]);
      left -= here;
      blocks_[block].reset();
    }
    blocks_.clear();
    size_ = 0;
  }

 private:
  static constexpr std::size_t kFirst = 16;

  struct Slot {
    std::size_t block, offset;
  };
  struct Free {
    void operator()(T* block) const { ::operator delete(block); }
  };
  using Block = std::unique_ptr<T, Free>;

  static Block allocate(std::size_t count) { return Block(static_cast<T*>(::operator new(count * sizeof(T)))); }

  // Block k holds the elements from kFirst * (2^k - 1).
  static Slot slot_of(std::size_t index) {
    const std::size_t power = std::bit_floor(index / kFirst + 1);  // 2^k
    return {static_cast<std::size_t>(std::countr_zero(power)), index - kFirst * (power - 1)};
  }

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace dpm
