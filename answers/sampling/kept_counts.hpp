// The file of counts that 'dpm sample -o' names: made before the first sample, and whole at any time.
//
// It is written after 1, 2, 4, 8, ... seconds, each minute, and at the end. A sampler that is killed loses half of its samples at most,
// and never more than those of a minute.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::cli {

class KeptCounts {
 public:
  // Makes the folders above it, too. Refuses a file that exists, or that cannot be made.
  static Result<KeptCounts> create(const std::string& path);
  KeptCounts(KeptCounts&& other) noexcept;
  KeptCounts(const KeptCounts&) = delete;
  // A file into which nothing was written is removed.
  ~KeptCounts();

  // Writes if it is time. A failure is not told here: the next time, or the end, may do better.
  void keep_at_times(const sampling::CountArray& counts, std::uint64_t elapsed_ns);
  Result<void> write(const sampling::CountArray& counts);

 private:
  explicit KeptCounts(std::string path);

  std::string path_;  // empty: moved away
  bool has_counts_ = false;
  std::uint64_t next_ns_;
};

}  // namespace dpm::cli
