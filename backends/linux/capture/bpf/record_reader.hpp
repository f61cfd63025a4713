// Reads the rings of the kernel's programs and puts their records in order.
//
// A thread that moves to another processor goes on in another ring, so records of one thread are in several rings. Each
// drain takes the records up to the moment at which it began, sorted by time; later ones wait for the next drain. A
// record was in its ring before its thread went on, so none can turn up afterwards that comes before what was delivered
// and that the same thread, or one that waited for it, made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backends/linux/capture/bpf/kernel_programs.hpp"

namespace dpm {

class RecordReader {
 public:
  explicit RecordReader(KernelPrograms& programs);
  RecordReader(const RecordReader&) = delete;
  ~RecordReader();

  using Record = std::span<const std::byte>;  // one of kernel_record.h
  // The records that are ready, in order of time. They live until the next drain. `everything`: no more will come.
  const std::vector<Record>& drain(std::int64_t now_ns, bool everything = false);
  // Sleeps until `nanoseconds` have passed, or a ring is half full; `until_first`: or there is a record.
  void sleep(std::int64_t nanoseconds, bool until_first);

 private:
  struct Ring;
  void take(const void* data, std::size_t size, bool is_news);

  KernelPrograms& programs_;
  std::vector<std::unique_ptr<Ring>> rings_;
  int epoll_ = -1;
  struct Kept {
    std::uint64_t time_ns = 0;
    std::size_t at = 0, size = 0;
    bool is_news = false;  // describes what a record of the same time names
  };
  std::vector<std::byte> bytes_, later_bytes_, delivered_;
  std::vector<Kept> kept_, later_;
  std::vector<Record> ready_;
};

}  // namespace dpm
