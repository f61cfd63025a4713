// The index of a trace while it is recorded: what its streams have so far, in a file. A recorder may run for weeks, and keeps
// nothing in memory for each packet and process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

class IndexParts {
 public:
  // The file is made with the first part; it has the ending of files that are left out when a trace is copied.
  explicit IndexParts(const std::string& directory) : path_(directory + "/index_parts.new") {}

  Result<void> add(std::uint32_t stream, std::string_view bytes);
  // What was added for each of the first `streams`, put together. The file is removed.
  Result<std::vector<std::string>> take(std::size_t streams);

 private:
  const std::string path_;
  bool is_empty_ = true;
};

}  // namespace dpm
