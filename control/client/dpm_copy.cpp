#include "control/client/dpm_copy.hpp"

#include <fmt/format.h>

namespace dpm {
namespace {

// Here: $1 the file, $2 whether the machine has it, $3 taking it, $4 becoming it; then the command that reaches the machine.
constexpr const char* kHere =
    R"sh(file=$1 has=$2 take=$3 become=$4; shift 4
"$@" "$has" </dev/null 2>/dev/null || "$@" "$take" <"$file" || exit 1
exec "$@" "$become")sh";
// The same for a machine's command that takes words.
constexpr const char* kHereInWords =
    R"sh(file=$1 has=$2 take=$3 become=$4; shift 4
"$@" sh -c "$has" </dev/null 2>/dev/null || "$@" sh -c "$take" <"$file" || exit 1
exec "$@" sh -c "$become")sh";

constexpr const char* kHas = R"sh(test "$(sha256sum <"$HOME/{0}/dpm" | cut -d" " -f1)" = {1})sh";
constexpr const char* kTake =
    R"sh(umask 077; place="$HOME/{0}"; new="$place/new.$$"
mkdir -p "$place" && cat >"$new" || exit 1
if test "$(sha256sum <"$new" | cut -d" " -f1)" != {1}; then
  rm -f "$new"; echo "dpm was not copied: the copy differs (sha256sum must be there)" >&2; exit 1
fi
chmod 700 "$new"
if ! "$new" --version >/dev/null; then
  rm -f "$new"; echo "dpm was copied and cannot run there: it needs the same libraries and processor; install dpm there" >&2
  exit 1
fi
mv "$new" "$place/dpm")sh";
constexpr const char* kBecome = R"sh(exec "$HOME/{0}/dpm" meterd --attach{2})sh";

}  // namespace

std::vector<std::string> copying_command(const DpmCopy& copy, const std::vector<std::string>& reach, bool joins_words,
                                         const std::vector<std::string>& options) {
  constexpr std::size_t kEnough = 16;
  const std::string place = ".cache/dpm/bin/" + copy.sha256.substr(0, kEnough);
  std::string more;
  for (const auto& option : options) more += " " + option;
  const auto text = [&](const char* script) { return fmt::format(fmt::runtime(script), place, copy.sha256, more); };
  std::vector<std::string> command = {
      "sh", "-c", joins_words ? kHere : kHereInWords, "dpm", copy.file, text(kHas), text(kTake), text(kBecome)};
  command.insert(command.end(), reach.begin(), reach.end());
  return command;
}

}  // namespace dpm
