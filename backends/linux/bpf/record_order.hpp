// Puts the records of several rings in order of time.
//
// A thread that moves to another processor goes on in another ring, so records of one thread are in several rings. A
// record is visible a moment after its time: the kernel's program that writes it may be interrupted, and what other
// processors wrote meanwhile is read first. So records wait here until all that are older are visible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpm {

class RecordOrder {
 public:
  using Record = std::span<const std::byte>;  // one of kernel_record.h

  // `is_news`: it describes what a record of the same time names.
  void add(Record record, bool is_news);
  // Those up to this time, which are not returned again. They live until the next call.
  const std::vector<Record>& up_to(std::uint64_t time_ns);
  // Records wait for a later call.
  bool holds_some() const { return !kept_.empty(); }

  static std::uint64_t time_of(Record record);

 private:
  struct Kept {
    std::uint64_t time_ns = 0;
    std::size_t at = 0, size = 0;
    bool is_news = false;
  };
  std::vector<std::byte> bytes_, delivered_;
  std::vector<Kept> kept_;
  std::vector<Record> ready_;
};

}  // namespace dpm
