#include "cli/divided/divided_run.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "answers/parallel/reading/divided_reading.hpp"
#include "cli/trace_options/divided_command.hpp"

namespace dpm {
namespace {

// A search is divided after the reading, and needs the history everywhere.
Takers takers_of(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  return command == "predict" ? Takers::everyone : Takers::first;
}

}  // namespace

std::uint32_t jobs_of(int argc, char** argv) {
  constexpr std::uint32_t kJobsMax = 1024;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::string_view value;
    if ((word == "-j" || word == "--jobs") && i + 1 < argc) value = argv[i + 1];
    if (word.starts_with("--jobs=")) value = word.substr(7);
    if (word.starts_with("-j") && !word.starts_with("--") && word.size() > 2) value = word.substr(2);
    std::uint32_t jobs = 0;
    const auto [end, wrong] = std::from_chars(value.data(), value.data() + value.size(), jobs);
    if (wrong == std::errc() && end == value.data() + value.size() && jobs > 0) return std::min(jobs, kJobsMax);
  }
  return 1;
}

int run_divided(Ranks& ranks, const std::function<cli::Commands()>& make, int argc, char** argv, Terminal& terminal) {
  std::ostringstream out, err;
  Terminal kept{out, err, terminal.width, false, terminal.colour};
  DividedReading reading(ranks, takers_of(argc, argv));
  const cli::Commands commands = make();
  for (const auto& command : commands) dynamic_cast<cli::DividedCommand&>(*command).read_with(reading);
  const int status = cli::run_command_line(commands, argc, argv, kept);
  if (!ranks.is_first()) return 0;
  if (reading.why_alone().empty()) {
    terminal.out << out.str();
    terminal.err << err.str();
    if (terminal.out.flush()) return status;
    terminal.err << "dpm: cannot write standard output\n";
    return status == cli::kDone ? cli::kWrongInput : status;
  }
  terminal.err << "note: one rank analyses this trace alone: " << reading.why_alone() << '\n';
  return cli::run_command_line(make(), argc, argv, terminal);
}

}  // namespace dpm
