// Which files of a trace directory are the streams, each in the order in which it was recorded.
//
// Without a window a stream is one file. With one it is a sequence of segments (segment_name.hpp), of which the oldest
// were removed. While it is recorded they go on being removed, from the oldest on: one that is not there any more, and
// that no older one is there of, is not damage.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/sidecar.hpp"

namespace dpm {

struct StreamSegments {
  std::string name;
  std::vector<StreamSummary> files;  // never empty
  std::uint64_t removed = 0;         // records that came before these

  // The oldest that are left are those from `first` on; perhaps none is.
  void remove_before(std::size_t first);
};

// `records` of a segment is at least what the next one's name says.
std::vector<StreamSegments> find_streams(const std::string& directory, const Sidecar& sidecar);

std::uint64_t removed_records(const std::vector<StreamSegments>& streams);

}  // namespace dpm
