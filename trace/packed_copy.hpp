// Copies the kept fields of a record as few runs of bytes: fields that are adjacent on both sides are one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace dpm {

struct ByteRun {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t length = 0;
};

class PackedCopy {
 public:
  void add(std::uint32_t from, std::uint32_t to, std::uint32_t length) {
    if (!runs_.empty()) {
      ByteRun& last = runs_.back();
      if (last.from + last.length == from && last.to + last.length == to) {
        last.length += length;
        return;
      }
    }
    runs_.push_back({from, to, length});
  }

  void operator()(const std::byte* from, std::byte* to) const {
    for (const ByteRun& run : runs_) std::memcpy(to + run.to, from + run.from, run.length);
  }

 private:
  std::vector<ByteRun> runs_;
};

}  // namespace dpm
