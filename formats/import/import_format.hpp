// A recording of another tool, which `dpm import` can turn into a trace: one more source of events.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/import/import_report.hpp"
#include "formats/import/recording_head.hpp"
#include "model/event_source.hpp"

namespace dpm {

struct ImportOptions {
  std::string machine;  // what the machine is called, where the recording does not say it
};

class ImportSource : public EventSource {
 public:
  // After run(). It stands in the warnings of the trace as well (add_warnings()).
  virtual ImportReport report() const = 0;
};

struct ImportFormat {
  std::string_view name;     // as in --from
  std::string_view summary;  // what is read, and how it is recorded
  // Fields of events that the format does not have, by their names in rules (docs/filter-rules.md).
  std::vector<std::string_view> missing_fields;
  // What the recording is ("a log of strace"), if its beginning is of this format. Sees no more than the beginning.
  std::optional<std::string> (*recognize)(const RecordingHead& recording) = nullptr;
  // Refuses what is not of this format, before anything is written.
  Result<std::unique_ptr<ImportSource>> (*open)(const std::string& path, const ImportOptions& options) = nullptr;
  bool has_summaries = false;  // of machines
};

}  // namespace dpm
