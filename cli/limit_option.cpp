#include "cli/limit_option.hpp"

#include "text/duration_text.hpp"

namespace dpm::cli {

void LimitOption::describe(Options& options, const std::string& help) {
  options.value("--for", text_, help).type_name("TIME").check([](const std::string& text) -> std::string {
    const auto limit = duration_from(text);
    if (!limit) return limit.error().what;
    return limit->ns > 0 ? "" : "a time is more than 0; without --for, the command ends as its help says";
  });
}

std::optional<Duration> LimitOption::limit() const {
  return text_.empty() ? std::nullopt : std::optional(duration_from(text_).value());
}

}  // namespace dpm::cli
