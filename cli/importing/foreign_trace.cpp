#include "cli/importing/foreign_trace.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "cli/importing/importing.hpp"
#include "formats/import/guess.hpp"
#include "text/printable.hpp"
#include "trace/kept_results.hpp"

namespace dpm::cli {
namespace {

namespace fs = std::filesystem;

// A file is never a trace; a folder may be an archive of another tool.
bool may_be_foreign(const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) return true;
  if (!fs::is_directory(path, ignored) || fs::exists(fs::path(path) / "trace.json", ignored) ||
      fs::exists(fs::path(path) / "trace" / "trace.json", ignored))
    return false;
  return guess_format(path).has_value();
}

}  // namespace

Result<ForeignTrace> ForeignTrace::open(const std::string& path, Terminal& terminal) {
  if (holds_results(path)) return results_are_no_trace(path);
  if (!may_be_foreign(path)) return ForeignTrace(path, "");
  ImportRequest request;
  request.file = path;
  request.options.machine = "machine";
  auto recording = open_recording(request);
  if (!recording) return recording.error();
  std::error_code wrong;
  std::string folder = (fs::temp_directory_path(wrong) / "dpm-import-XXXXXX").string();
  if (wrong || mkdtemp(folder.data()) == nullptr) return Error::from_errno("make a temporary folder " + folder);
  request.output = folder + "/trace";
  ForeignTrace trace(request.output, folder);
  terminal.err << fmt::format("{}: {} (--from {}), imported into a temporary trace\n", printable(path),
                              printable(recording->what), recording->format->name);
  if (const auto written = write_recording(*recording, request); !written) return written.error();
  return trace;
}

ForeignTrace::ForeignTrace(ForeignTrace&& other) noexcept
    : directory_(std::move(other.directory_)), temporary_(std::exchange(other.temporary_, "")) {}

void ForeignTrace::remove() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  temporary_.clear();
}

ForeignTrace::~ForeignTrace() { remove(); }

}  // namespace dpm::cli
