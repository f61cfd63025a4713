#include "cli/meter/summaries_option.hpp"

#include <fmt/format.h>

#include "text/duration_text.hpp"

namespace dpm::cli {
namespace {

// A reading costs 0.1 ms, and a look at an idle program comes every 0.3 s.
constexpr double kShortestS = .1, kLongestS = 86'400;

// CLI11's words for an option without its value.
bool is_left_out(const std::string& text) { return text.empty() || text == "true" || text == "{}"; }

}  // namespace

Result<Duration> summary_interval_from(const std::string& text) {
  const auto interval = duration_from(text);
  if (!interval) return interval.error();
  const double seconds = interval->seconds();
  if (!(seconds >= kShortestS && seconds <= kLongestS))
    return Error{fmt::format("summaries every {} are not possible: from 100ms to 24h", text)};
  return *interval;
}

void SummariesOption::describe(Options& options) {
  option_ = options
                .value("--machine-summaries", text_,
                       "Also record load, memory, paging and disks of the machine every INTERVAL, such as 500ms or 1m "
                       "(default: 10s), as SUMMARY events")
                .words(0, 1)
                .type_name("[INTERVAL]")
                .check([](const std::string& text) {
                  if (is_left_out(text)) return std::string();
                  const auto interval = summary_interval_from(text);
                  return interval ? std::string() : interval.error().what;
                });
}

std::optional<Duration> SummariesOption::interval() const {
  if (!option_ || !option_->is_given()) return std::nullopt;
  return is_left_out(text_) ? kUsual : summary_interval_from(text_).value();
}

}  // namespace dpm::cli
