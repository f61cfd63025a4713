// What a recording is, when its format is not named.
#pragma once

#include <string>

#include "formats/import/import_formats.hpp"

namespace dpm {

struct Guess {
  const ImportFormat* format = nullptr;
  std::string what;  // "a log of strace"
};

// Refuses what no format reads; the error names what the recording is, where that is known, and a way to one that is read.
Result<Guess> guess_format(const std::string& path);

// The error of a format that refused the recording, with what it is instead.
Error refused_as(const ImportFormat& format, const std::string& path, const Error& error);

}  // namespace dpm
