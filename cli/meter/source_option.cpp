#include "cli/meter/source_option.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/linux/sources/metering_methods.hpp"
#include "model/check.hpp"

namespace dpm::cli {
namespace {

constexpr const char* kAuto = "auto";

}  // namespace

SourceOption::SourceOption() : methods_(metering_methods()), name_(kAuto) { DPM_CHECK(!methods_.empty()); }

void SourceOption::describe(CLI::App& app) {
  if (methods_.size() < 2) return;
  std::string help =
      fmt::format("How the program is observed (default: {}, which is {})", kAuto, methods_.front()->name());
  std::vector<std::string> names = {kAuto};
  for (const auto& method : methods_) {
    help += fmt::format("; {}: {}", method->name(), method->summary());
    names.push_back(method->name());
  }
  app.add_option("--source", name_, help)->check(CLI::IsMember(names));
}

std::string SourceOption::obstacle() const {
  const std::string why = method().obstacle();
  return why.empty() ? "" : fmt::format("--source {}: {}", method().name(), why);
}

const MeteringMethod& SourceOption::method() const {
  if (name_ == kAuto) return *methods_.front();
  const auto found =
      std::find_if(methods_.begin(), methods_.end(), [&](const auto& method) { return method->name() == name_; });
  DPM_CHECK(found != methods_.end());
  return **found;
}

std::string SourceOption::choice() const {
  if (name_ != kAuto) return fmt::format("{} (--source {})", name_, name_);
  return fmt::format("{} (the default)", methods_.front()->name());
}

}  // namespace dpm::cli
