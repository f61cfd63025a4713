#include "cli/meter/source_option.hpp"

#include <algorithm>

#include "backends/linux/sources/metering_methods.hpp"
#include "model/check.hpp"

namespace dpm::cli {

SourceOption::SourceOption() : methods_(metering_methods()) {
  DPM_CHECK(!methods_.empty());
  name_ = methods_.front()->name();
}

void SourceOption::describe(CLI::App& app) {
  if (methods_.size() < 2) return;
  std::string help = "How the program is observed";
  std::vector<std::string> names;
  for (const auto& method : methods_) {
    help += (names.empty() ? ". " : "; ") + method->name() + ": " + method->summary();
    names.push_back(method->name());
  }
  app.add_option("--source", name_, help)->check(CLI::IsMember(names));
}

const MeteringMethod& SourceOption::method() const {
  const auto found =
      std::find_if(methods_.begin(), methods_.end(), [&](const auto& method) { return method->name() == name_; });
  DPM_CHECK(found != methods_.end());
  return **found;
}

}  // namespace dpm::cli
