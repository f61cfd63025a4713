// Recordings as people have them, each with what it must become: cases/FORMAT/NAME and NAME.expect beside it. DPM_BLESS=1 writes what they
// become now.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "tests/formats/import/imported_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm {
namespace {

namespace fs = std::filesystem;

std::string without_path(std::string text, const std::string& path) {
  for (auto at = text.find(path); at != std::string::npos; at = text.find(path)) text.replace(at, path.size(), "FILE");
  return text;
}

std::string outcome_of(const std::string& path) {
  const ImportedRecording imported = import_recording_at(path);
  if (!imported.refused.empty()) return without_path(fmt::format("refused: {}\n", imported.refused), path);
  std::string text = fmt::format("{} (--from {})\n", imported.what, imported.format);
  for (const ImportRow& row : imported.report.read) text += fmt::format("read: {} {}\n", row.count, row.what);
  for (const std::string& warning : warnings_of(imported.report)) text += warning + '\n';
  if (imported.events.lost > 0) text += fmt::format("lost: {}\n", imported.events.lost);
  if (imported.events.count(EventType::send) + imported.events.count(EventType::receive) == 0)
    text += fmt::format("no messages: {}\n", imported.report.no_messages);
  return text + imported.events.text();
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("import: recordings of every sort become what is beside them, or are refused with a way out", "[import]") {
  std::set<fs::path> cases;
  for (const auto& folder : fs::directory_iterator(source_root() / "tests/formats/import/cases"))
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() != ".expect") cases.insert(entry.path());
  CHECK(cases.size() > 30);
  for (const fs::path& path : cases) {
    const fs::path expected = path.string() + ".expect";
    const std::string outcome = outcome_of(path.string());
    if (std::getenv("DPM_BLESS") != nullptr) std::ofstream(expected, std::ios::binary) << outcome;
    CAPTURE(path.string());
    CHECK(outcome == content_of(expected));
  }
}

}  // namespace
}  // namespace dpm
