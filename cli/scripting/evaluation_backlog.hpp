// How far the evaluation is behind the programs (S3 4.1.5): how many records waited when they were taken, and how old the
// oldest was. Of one machine.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dpm::cli {

class EvaluationBacklog {
 public:
  // One look at the programs took these records.
  void note(std::uint64_t records, std::int64_t age_ns) {
    if (records == 0) return;
    last_records_ = records;
    most_records_ = std::max(most_records_, records);
    longest_ns_ = std::max(longest_ns_, age_ns);
    records_ += records;
  }

  std::uint64_t records() const { return records_; }            // in all
  std::uint64_t last_records() const { return last_records_; }  // in the last look that found some
  std::uint64_t most_records() const { return most_records_; }  // S3's monitoring load
  std::int64_t longest_ns() const { return longest_ns_; }

 private:
  std::uint64_t records_ = 0, last_records_ = 0, most_records_ = 0;
  std::int64_t longest_ns_ = 0;
};

}  // namespace dpm::cli
