// The log of a filter as a trace in it sees it: the standard filter writes the folder "trace" of its log, and others leave
// files about it beside that.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace dpm {

struct FileOfLog {
  std::string path, text;
};

// A file of this name in the directory of a trace, or else in the log that the trace belongs to; none if neither has it.
Result<std::optional<FileOfLog>> read_file_of_log(const std::string& directory, const std::string& name,
                                                  std::size_t bytes_max);

}  // namespace dpm
