// Lines that come in any order and leave by time; those of equal times in the order in which they came.
//
// What exceeds the memory is sorted in runs, which lie in one unnamed temporary file and are merged at the end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

class SortedLines {
 public:
  explicit SortedLines(std::size_t memory_bytes = std::size_t{64} << 20) : memory_bytes_(memory_bytes) {}

  void add(std::int64_t time_ns, std::string_view line);

  // Call once, last.
  Result<void> take(const std::function<void(std::string_view line)>& take);

 private:
  struct Line {
    std::int64_t time_ns = 0;
    std::size_t at = 0;  // in text_
    std::uint32_t length = 0;
  };
  struct Run {  // in the file: a Head before each line
    long begin = 0, end = 0;
  };
  struct Head {
    std::int64_t time_ns = 0;
    std::uint32_t length = 0;
  };
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  class RunReader;

  void sort();
  void spill();

  std::size_t memory_bytes_;
  std::vector<Line> lines_;
  std::string text_;
  std::vector<Run> runs_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  Result<void> status_;
};

}  // namespace dpm
