// --compress, as the commands that write a trace take it.
#pragma once

#include "cli/options.hpp"

namespace dpm::cli {

inline void describe_compress(Options& options, bool& compress) {
  options.flag(
      "--compress", compress,
      "Compress the packets of the trace with zstd; other readers of CTF need the output of 'dpm compress --undo'");
}

}  // namespace dpm::cli
