#include "cli/meter/source_option.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "backends/linux/sources/metering_methods.hpp"
#include "model/check.hpp"

namespace dpm::cli {
namespace {

constexpr const char* kAuto = "auto";

std::string ring_size(const std::string& text) {
  constexpr std::size_t kLeast = 4096, kMost = std::size_t{1} << 30;
  std::size_t bytes = 0;
  if (!CLI::detail::lexical_cast(text, bytes) || bytes < kLeast || bytes > kMost || (bytes & (bytes - 1)) != 0)
    return fmt::format("a ring has a power of two of bytes, from {} to {}, not '{}'", kLeast, kMost, text);
  return "";
}

// Why "auto" does not take this method; empty: it does.
std::string why_not(const MeteringMethod& method, const SourceOption::Wishes& wishes) {
  if (wishes.callers && !method.finds_callers()) return "for --where";
  if (const auto obstacle = method.obstacle()) return obstacle->reason;
  return method.drawback();
}

std::string auto_reason(const MeteringMethod& method, const std::string& why) {
  return fmt::format("{} (auto: {})", method.name(), why);
}

}  // namespace

SourceOption::SourceOption() : methods_(metering_methods()), name_(kAuto) { DPM_CHECK(!methods_.empty()); }

void SourceOption::describe(CLI::App& app, MeteringMethod::Options& options) {
  if (methods_.size() < 2) return;
  std::string help =
      fmt::format("How the program is observed (default: {}, the first of these that this account may use)", kAuto);
  std::vector<std::string> names = {kAuto};
  for (const auto& method : methods_) {
    help += fmt::format("; {}: {}", method->name(), method->summary());
    names.push_back(method->name());
  }
  app.add_option("--source", name_, help)->check(CLI::IsMember(names))->envname("DPM_SOURCE");
  app.add_option(
         "--ring", options.ring_bytes,
         "The bytes of each processor's ring, where records of --source kernel wait: a power of two (default: 8 MiB)")
      ->transform(CLI::AsSizeValue(false))
      ->check(ring_size);
}

Result<SourceOption::Choice> SourceOption::choose(const Wishes& wishes) const {
  if (name_ != kAuto) return choose_named(wishes);
  for (const auto& method : methods_)
    if (wishes.running_pid != 0 && method->has_custody(wishes.running_pid))
      return Choice{{method.get()}, auto_reason(*method, "it has metered this process before")};
  return choose_first(wishes);
}

SourceOption::Choice SourceOption::choose_first(const Wishes& wishes) const {
  Choice choice;
  std::string others;
  for (const auto& method : methods_) {
    const bool is_last = method == methods_.back();
    const std::string why = is_last ? "" : why_not(*method, wishes);
    if (why.empty()) {
      choice.methods.push_back(method.get());
    } else {
      others += fmt::format("{}not {}: {}", others.empty() ? "" : "; ", method->name(), why);
    }
  }
  choice.reason = auto_reason(*choice.methods.front(), others.empty() ? "this account may use it" : others);
  return choice;
}

Result<std::unique_ptr<MeteredRun>> SourceOption::begin(Choice& choice, const Begin& begin) {
  const pid_t caller = ::getpid();
  for (;;) {
    const MeteringMethod& method = *choice.methods.front();
    auto run = begin(method);
    const bool has_begun = ::getpid() != caller;  // the caller has become the program
    if (run || has_begun || choice.methods.size() == 1) return run;
    choice.methods.erase(choice.methods.begin());
    choice.reason = auto_reason(*choice.methods.front(), fmt::format("not {}: {}", method.name(), run.error().what));
  }
}

Result<SourceOption::Choice> SourceOption::choose_named(const Wishes& wishes) const {
  const auto found =
      std::find_if(methods_.begin(), methods_.end(), [&](const auto& method) { return method->name() == name_; });
  DPM_CHECK(found != methods_.end());
  const MeteringMethod& method = **found;
  if (const auto obstacle = method.obstacle())
    return Error{fmt::format("--source {}: {}: {}", name_, obstacle->reason, obstacle->advice)};
  if (wishes.callers && !method.finds_callers())
    return Error{fmt::format("--where works with --source notify only, not with {}", name_)};
  return Choice{{&method}, fmt::format("{} (--source {})", name_, name_)};
}

}  // namespace dpm::cli
