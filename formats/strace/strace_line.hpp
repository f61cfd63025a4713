// One line of `strace -f -ttt -yy`, taken apart.
//
//   8026  1795690005.344418 read(8<TCP:[127.0.0.1:7733->127.0.0.1:40854]>, "*3\r\n$"..., 16384) = 27
//   [pid  8026] 1795690005.344418 ...            as strace writes it to a terminal
//   8032  1795690005.344410 recvfrom(3<...>,  <unfinished ...>
//   8032  1795690005.344500 <... recvfrom resumed>"+OK\r\n", 16384, 0, NULL, NULL) = 5 <0.000090>
//   8032  1795690005.344931 +++ exited with 0 +++
//
// Views point into the line.
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
  other,       // a signal, a stop
};

struct StraceLine {
  StraceLineKind kind = StraceLineKind::other;
  std::uint32_t tid = 0;     // 0: the log has one process only
  std::int64_t time_ns = 0;  // since 1970, or since midnight
  std::string_view call;
  std::string_view text;
  std::uint32_t code = 0;
};

// None: not a line of strace with times.
std::optional<StraceLine> parse_strace_line(std::string_view line);

// What a call was given and what it returned, from all that follows its "(".
struct StraceOutcome {
  std::string_view arguments;
  std::int64_t result = 0;
  std::string_view result_note;             // "<TCP:[...]>", "EAGAIN (Resource temporarily unavailable)"
  std::optional<std::int64_t> duration_ns;  // with -T
};
// None: it did not return.
std::optional<StraceOutcome> parse_outcome(std::string_view text);

// Behind a "(", the end of what belongs to it; npos if it is not there.
std::size_t end_of_arguments(std::string_view text);

// The n-th argument, from 0; empty if there are fewer.
std::string_view argument(std::string_view arguments, std::size_t n);

}  // namespace dpm
