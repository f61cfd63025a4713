#include "trace/read_sidecar.hpp"

#include <fmt/format.h>

#include "trace/files.hpp"
#include "trace/names_journal.hpp"

namespace dpm {
Result<Sidecar> read_sidecar_alone(const std::string& directory) {
  const std::string path = fmt::format("{}/{}", directory, kSidecarName);
  const auto text = read_text_file(path, kSidecarBytesMax);
  if (!text) return text.error();
  return sidecar_from_json(path, *text);
}

Result<Sidecar> read_sidecar(const std::string& directory) {
  const std::string journal = fmt::format("{}/{}", directory, kNamesJournalName);
  // The recorder merges the journal into trace.json when it ends, perhaps between these two readings.
  constexpr int kReadingsMax = 3;
  Error journal_missing;
  for (int reading = 0; reading < kReadingsMax; ++reading) {
    auto sidecar = read_sidecar_alone(directory);
    if (!sidecar || !sidecar->has_journal) return sidecar;
    const auto is_whole = read_names_journal(journal, sidecar->info, sidecar->ids);
    if (!is_whole) {
      journal_missing = is_whole.error();
      continue;
    }
    if (!*is_whole) sidecar->split_processes.reset();
    return sidecar;
  }
  return journal_missing;
}

}  // namespace dpm
