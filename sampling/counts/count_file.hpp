// A count array as text, one fact a line, for files that are kept and added later:
//
//   dpm counts 3
//   source proc
//   ...
//   workload users
//   level 1
//   samples 812
//   state cpu_run 310
//   word system 2 204
//   end 5f3a90c2d1b7e864
//
// The number behind `end` is the checksum of all lines before it (FNV-1a of 64 bits); version 2 has none. What was cut, changed or
// added to is refused: by the checksum, and in both versions by sums that do not fit (count_sums.hpp). Files of another version, or with
// other states, are refused, too: their counts do not mean the same.
#pragma once

#include <string>
#include <string_view>

#include "sampling/counts/count_array.hpp"

namespace dpm::sampling {

std::string to_text(const CountArray& counts);
// `name` is the file in messages: "a.counts:7: ...".
Result<CountArray> read_counts(std::string_view text, const std::string& name);

}  // namespace dpm::sampling
