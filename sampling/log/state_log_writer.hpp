// Writes what each thread did at each sample (state_log_file.hpp), while samples are taken.
//
// Memory: what is known of each thread that lives. Each sample is on the disk before the next is taken.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/result.hpp"
#include "os/unique_fd.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::sampling {

class StateLogWriter {
 public:
  // A new file. `local_offset_ns`: what the clock of the day is ahead of the one that is never set.
  static Result<StateLogWriter> create(const std::string& path, const SamplingSetup& setup,
                                       std::int64_t local_offset_ns);

  // `began_ns` on the clock that is never set. A sample that cannot be written whole is not in the file, and none after it: a gap would
  // be read as waiting.
  void add(const Sample& sample, std::int64_t began_ns);
  // Why samples are missing at the end, if they are.
  Result<void> status() const;

 private:
  using ThreadKey = std::pair<std::uint32_t, std::uint64_t>;
  struct Known {
    std::uint32_t number = 0;
    std::string_view state;
    std::uint64_t sample = 0;  // in which it was seen last
  };

  StateLogWriter(std::string path, UniqueFd file, std::int64_t local_offset_ns)
      : path_(std::move(path)), file_(std::move(file)), local_offset_ns_(local_offset_ns) {}

  bool write(std::string_view text);

  std::string path_, failure_;
  UniqueFd file_;
  off_t bytes_ = 0;  // whole samples
  std::int64_t local_offset_ns_;
  std::map<ThreadKey, Known> known_;
  std::uint32_t threads_ = 0;
  std::uint64_t samples_ = 0;
};

}  // namespace dpm::sampling
