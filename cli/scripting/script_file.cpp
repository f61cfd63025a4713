#include "cli/scripting/script_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "text/printable.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kScriptBytesMost = 64 << 20;

}  // namespace

Result<EventScript> load_event_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || file.bad()) return Error{fmt::format("cannot read the script {}", printable(path))};
  if (text.size() > kScriptBytesMost) return Error{fmt::format("{}: a script has at most 64 MB", printable(path))};
  auto script = parse_event_script(path, text);
  if (!script) return Error{printable(script.error().what)};
  if (script->events.empty()) return Error{fmt::format("{}: the script defines no event", printable(path))};
  return script;
}

}  // namespace dpm::cli
