#include "control/controller/scripts.hpp"

#include <fmt/format.h>

#include "control/controller/user_files.hpp"

namespace dpm::control {

Outcome Scripts::perform(const std::string& file) {
  if (depth_ == kDepthMax) {
    is_abandoned_ = true;
    return console_.fail(
        fmt::format("source: scripts are nested sixteen deep already; does '{}' read itself? All are given up", file));
  }
  const auto lines = read_script(file);
  if (!lines) return console_.fail("source: " + lines.error().what);
  auto outcome = Outcome::done;
  ++depth_;
  std::size_t number = 0;
  for (const auto& line : *lines) {
    const auto step = perform_line_(line, file + ":" + std::to_string(++number));
    if (machines_.take_interruption() && depth_ > 0 && step != Outcome::left) {
      console_.fail(fmt::format("source: interrupted in line {} of {}", number, file));
      is_abandoned_ = true;
    }
    if (step != Outcome::done) outcome = step;
    if (step == Outcome::left || is_abandoned_) break;
    reports_.show();
  }
  --depth_;
  if (is_abandoned_ && outcome == Outcome::done) outcome = Outcome::failed;
  if (depth_ == 0) is_abandoned_ = false;
  return outcome;
}

}  // namespace dpm::control
