// Reads the rings of the kernel's programs and puts their records in order.
//
// Each drain delivers the records up to the moment at which the drain before it began; later ones wait in order. So a
// record may become visible as late as one pause of the reader after its time, and still comes in its place. (A ring is
// read up to the first record that is still being written, and the host of a virtual machine may stop a processor there.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/linux/bpf/kernel_programs.hpp"
#include "backends/linux/bpf/record_order.hpp"

namespace dpm {

class RecordReader {
 public:
  explicit RecordReader(KernelPrograms& programs);
  RecordReader(const RecordReader&) = delete;
  ~RecordReader();

  using Record = RecordOrder::Record;
  // The records that are ready, in order of time. They live until the next drain. `everything`: what waits in order is ready too, up to
  // where a ring was not read to its end.
  const std::vector<Record>& drain(std::int64_t now_ns, bool everything = false);
  bool holds_some() const { return order_.holds_some(); }
  // The last drain has left records of times before this in a ring, because it takes a limited number at a time. Without a time: any,
  // so that the next drain is due at once.
  bool leaves_some(std::uint64_t before_ns = UINT64_MAX) const { return left_from_ns_ < before_ns; }
  // Sleeps until `nanoseconds` have passed, or a ring is half full; `until_first`: or there is a record.
  void sleep(std::int64_t nanoseconds, bool until_first);

 private:
  struct Ring;
  KernelPrograms& programs_;
  std::vector<std::unique_ptr<Ring>> rings_;
  int epoll_ = -1;
  std::uint64_t last_drain_ns_ = 0;
  RecordOrder order_;
  std::uint64_t left_from_ns_ = UINT64_MAX;
};

}  // namespace dpm
