// --compress, as the commands that write a trace take it.
#pragma once

#include <CLI/CLI.hpp>

namespace dpm::cli {

inline void describe_compress(CLI::App& app, bool& compress) {
  app.add_flag(
      "--compress", compress,
      "Compress the packets of the trace with zstd; other readers of CTF need what 'dpm compress --undo' makes of it");
}

}  // namespace dpm::cli
