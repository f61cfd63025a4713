// Text of other machines and of processes, made safe for the user's terminal.
//
// Everything that the controller shows passes through visible_lines() (screen.hpp, console.hpp): ssh's errors, refusals,
// reasons, paths and names come from hosts that are not trusted. No I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpm::control {

using Lines = std::vector<std::string>;

// What newlines divide; at least one line, which may be empty.
Lines lines_of(std::string_view text);

// Control characters except the tab become ^X, those beyond ASCII and others that are not seen '?', and bytes that are not
// UTF-8 \xNN: a terminal obeys nothing of the result. What is visible already does not change.
std::string visible(std::string_view text);

// The lines with newlines between them. A newline within a line becomes ^J: text of another machine cannot look like a
// line of ours. A longer line than this is cut, and the number of missing bytes takes their place.
inline constexpr std::size_t kShownLineBytesMax = 20 * 1024;
std::string visible_lines(const Lines& lines);

}  // namespace dpm::control
