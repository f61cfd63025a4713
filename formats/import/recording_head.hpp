// The beginning of a recording, for finding out what it is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

struct RecordingHead {
  static constexpr std::size_t kHeadMax = std::size_t{1} << 18;

  std::string path;
  std::string head;                // its first bytes, decompressed and without a byte-order mark; of a folder, nothing
  std::vector<std::string> files;  // of a folder: the names in it, in order; not more than some thousand
  bool is_folder = false;
  bool is_whole = false;  // `head` is the whole recording
  // Names of members of the first JSON values in `head`, as paths: "resourceSpans", "data[].traceID", "[].ph". Empty: not JSON.
  std::vector<std::string> members;

  bool has(std::string_view member) const;
};

Result<RecordingHead> look_at(const std::string& path);

}  // namespace dpm
