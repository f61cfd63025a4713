#include "answers/sampling/stack_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"

namespace dpm::cli {
namespace {

using sampling::NamedStacks;

constexpr std::size_t kFunctionsShown = 10, kFilesShown = 3;

double seconds_of(std::uint64_t count, const NamedStacks& stacks) {
  return static_cast<double>(count * stacks.interval_ns) * 1e-9;
}

std::string interval_text(const Share& share) {
  return fmt::format("{:.1f} to {:.1f} %", share.low * 100, share.high * 100);
}

nlohmann::ordered_json time_json(const Share& share, const NamedStacks& stacks) {
  return {{"stacks", share.hits},
          {"seconds", seconds_of(share.hits, stacks)},
          {"share", share.value},
          {"low", share.low},
          {"high", share.high}};
}

std::string functions_table(const NamedStacks& stacks, int width) {
  TextTable table({"function", "in", ">self", ">share", ">95 % interval", ">total", ">share"},
                  RowLimit{kFunctionsShown, "--json"});
  for (const auto& time : stacks.by_time()) {
    const auto& function = stacks.functions[time.function];
    table.add_row({printable(function.name), printable(function.file), seconds_text(seconds_of(time.self.hits, stacks)),
                   percent(time.self.value, 1), interval_text(time.self),
                   seconds_text(seconds_of(time.total.hits, stacks)), percent(time.total.value, 1)});
  }
  return table.to_text(width);
}

// What the numbers above do not have.
std::string missing_text(const NamedStacks& stacks) {
  std::string text;
  const auto& losses = stacks.losses;
  if (losses.lost_records + losses.full_rings + losses.damaged_records + losses.throttled == 0)
    text += "lost: nothing\n";
  if (losses.lost_records == 0 && losses.full_rings > 0)
    text += "lost: perhaps some records, because the kernel's memory for them was full\n";
  if (losses.lost_records > 0)
    text += fmt::format("lost: {} records, because they were not read in time\n", losses.lost_records);
  if (losses.damaged_records > 0)
    text += fmt::format("lost: {} records that could not be read\n", losses.damaged_records);
  if (losses.throttled > 0)
    text += fmt::format("lost: stacks after {} times when the kernel held them back\n", losses.throttled);
  if (losses.not_followed > 0)
    text +=
        fmt::format("left out: {} processes whose stacks the kernel refused, or for which descriptors were lacking\n",
                    losses.not_followed);
  if (losses.cut > 0) text += fmt::format("cut: {} stacks have more frames than the kernel follows\n", losses.cut);
  const auto unnamed = stacks.unnamed_frames();
  std::uint64_t frames = 0;
  std::vector<std::string> files;
  for (const auto& file : unnamed) {
    frames += file.frames;
    if (files.size() < kFilesShown) files.push_back(file.file.empty() ? "no file" : printable(file.file));
  }
  if (frames > 0)
    text += fmt::format("without a name: {} of {} frames, {} in {} (no symbol covers them)\n", frames, stacks.frames(),
                        unnamed.size() > files.size() ? "most" : "all", fmt::join(files, ", "));
  for (const auto& program : stacks.by_program())
    if (program.lacks_frame_pointers())
      text += fmt::format(
          "{}: {} of its {} stacks have one frame, or callers in no file; it was probably compiled without frame "
          "pointers "
          "(-fno-omit-frame-pointer)\n",
          printable(stacks.programs[program.program]), program.broken, program.stacks);
  return text;
}

}  // namespace

std::string stacks_text(const NamedStacks& stacks, int width) {
  const std::uint64_t count = stacks.stacks();
  std::string text =
      fmt::format("{} call stacks, one for each {} of a thread's CPU time: {} of the {} that were used\n", count,
                  seconds_text(static_cast<double>(stacks.interval_ns) * 1e-9), seconds_text(seconds_of(count, stacks)),
                  seconds_text(static_cast<double>(stacks.cpu_ns) * 1e-9));
  if (const double rest_s = static_cast<double>(stacks.cpu_ns) * 1e-9 - seconds_of(count, stacks); rest_s > 0)
    text += fmt::format("the other {}: in the kernel, or after a thread's last stack{}\n", seconds_text(rest_s),
                        stacks.losses.lost_records > 0 ? ", or lost" : "");
  if (count > 0) text += functions_table(stacks, width);
  return text + missing_text(stacks);
}

nlohmann::ordered_json stacks_json(const NamedStacks& stacks) {
  auto functions = nlohmann::ordered_json::array();
  for (const auto& time : stacks.by_time()) {
    const auto& function = stacks.functions[time.function];
    functions.push_back({{"function", printable(function.name)},
                         {"file", printable(function.file)},
                         {"has_name", function.is_named},
                         {"self", time_json(time.self, stacks)},
                         {"total", time_json(time.total, stacks)}});
  }
  auto programs = nlohmann::ordered_json::array();
  for (const auto& program : stacks.by_program())
    programs.push_back({{"program", printable(stacks.programs[program.program])},
                        {"stacks", program.stacks},
                        {"broken_stacks", program.broken},
                        {"lacks_frame_pointers", program.lacks_frame_pointers()}});
  auto unnamed = nlohmann::ordered_json::array();
  for (const auto& file : stacks.unnamed_frames())
    unnamed.push_back({{"file", printable(file.file)}, {"frames", file.frames}});
  const auto& losses = stacks.losses;
  return {{"interval_s", static_cast<double>(stacks.interval_ns) * 1e-9},
          {"stacks", stacks.stacks()},
          {"sampled_s", seconds_of(stacks.stacks(), stacks)},
          {"cpu_time_s", static_cast<double>(stacks.cpu_ns) * 1e-9},
          {"functions", std::move(functions)},
          {"programs", std::move(programs)},
          {"frames", stacks.frames()},
          {"frames_without_name", std::move(unnamed)},
          {"lost_records", losses.lost_records},
          {"full_rings", losses.full_rings},
          {"damaged_records", losses.damaged_records},
          {"throttled", losses.throttled},
          {"cut_stacks", losses.cut},
          {"processes_left_out", losses.not_followed}};
}

}  // namespace dpm::cli
