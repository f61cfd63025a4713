// One line of a log of strace, taken apart, whatever options it was recorded with.
//
//   8026  1795690005.344418 read(8<TCP:[127.0.0.1:7733->127.0.0.1:40854]>, "*3\r\n$"..., 16384) = 27
//   [pid  8026] 1795690005.344418 ...            as strace writes it to a terminal
//   8026<redis-server> ...                       -Y: the name of the program
//   8026 [unconfined_t] 10:26:45 [ 221] [00007f51a2b3c4d5] ...     --secontext, -t, -n, -i
//   8032  1795690005.344410 recvfrom(3<...>,  <unfinished ...>
//   8032  1795690005.344500 <... recvfrom resumed>"+OK\r\n", 16384, 0, NULL, NULL) = 5 <0.000090>
//   8032  1795690005.344931 +++ exited with 0 +++
//
// Blanks, the ">" of a quoted mail and the marks of a comment may stand before all. Views point into the line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dpm {

enum class StraceLineKind : std::uint8_t {
  call,        // `text` is what follows the "("
  unfinished,  // `text` is what follows the "(", as far as it goes
  resumed,     // `text` is what follows "resumed>"
  exited,      // `code` is the exit code, or 128 and the signal
  superseded,  // a thread executed another program; `code` is the number of the other of the two
  other,       // a signal, a stop
};

enum class StraceTimeKind : std::uint8_t {
  none,
  relative,  // -r: since the line before
  seconds,   // -t: of the day
  day,       // -tt: of the day
  epoch,     // -ttt: since 1970
};

struct StraceLine {
  StraceLineKind kind = StraceLineKind::other;
  StraceTimeKind time = StraceTimeKind::none;
  std::uint32_t tid = 0;     // 0: the line does not say it
  std::string_view command;  // with -Y
  std::int64_t time_ns = 0;
  std::string_view call;
  std::string_view text;
  std::uint32_t code = 0;
};

// None: not a line of strace.
std::optional<StraceLine> parse_strace_line(std::string_view line);

// "strace: Process 8026 attached", at the end of a line: its beginning, and the number.
struct StraceNotice {
  std::size_t at = 0;
  std::uint32_t tid = 0;
  bool detached = false;
};
std::optional<StraceNotice> find_notice(std::string_view line);

// A place in the program, as -k prints it behind a call.
bool is_stack_line(std::string_view line);

}  // namespace dpm
