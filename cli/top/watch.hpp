// Watches a trace on a terminal until the user quits: reads what comes, and shows it each period.
#pragma once

#include "answers/follow/followed_trace.hpp"
#include "cli/top/top_history.hpp"
#include "cli/top/top_screen.hpp"
#include "view/terminal/terminal_screen.hpp"

namespace dpm::cli {

// `path` is read again when the trace is over, for its messages as `dpm statistics` has them.
void watch(FollowedTrace& trace, const std::string& path, TopScreen& screen, view::TerminalScreen& terminal);

}  // namespace dpm::cli
