// A recording of another tool becomes a trace directory.
#pragma once

#include <memory>
#include <string>

#include "formats/import/import_formats.hpp"
#include "model/ledger.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

struct ImportRequest {
  std::string file;
  std::string from;    // a format; empty: it is guessed
  std::string output;  // a trace directory that does not exist
  ImportOptions options;
  bool compressed = false;
};

struct OpenRecording {
  const ImportFormat* format = nullptr;
  std::string what;  // "a log of strace", where it was guessed
  std::unique_ptr<ImportSource> source;
};

struct Imported {
  ImportReport report;
  Ledger ledger;
  std::uint64_t messages = 0;  // SENDs and RECEIVEs
};

// Refuses what is not of the format, or of none; nothing is written.
Result<OpenRecording> open_recording(const ImportRequest& request);
// The trace; an error is one of writing it.
Result<Imported> write_recording(const OpenRecording& recording, const ImportRequest& request);

// What was read, left out and is not known, as a table on stderr, and the ledger.
void print_imported(const Imported& imported, Terminal& terminal);

}  // namespace dpm::cli
