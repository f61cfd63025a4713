#include "backends/linux/sources/source_choice.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "model/check.hpp"

namespace dpm {
namespace {

// Why "auto" does not take this method; empty: it does.
std::string why_not(const MeteringMethod& method, const SourceChooser::Wishes& wishes) {
  if (wishes.callers && !method.finds_callers()) return "for --where";
  if (const auto obstacle = method.obstacle()) return obstacle->reason;
  return method.drawback();
}

std::string auto_reason(const MeteringMethod& method, const std::string& why) {
  return fmt::format("{} ({}: {})", method.name(), SourceChooser::kAuto, why);
}

}  // namespace

SourceChooser::SourceChooser(std::vector<std::unique_ptr<MeteringMethod>> methods) : methods_(std::move(methods)) {
  DPM_CHECK(!methods_.empty());
}

std::vector<std::string> SourceChooser::names() const {
  std::vector<std::string> names = {kAuto};
  for (const auto& method : methods_) names.push_back(method->name());
  return names;
}

Result<SourceChooser::Choice> SourceChooser::choose(const std::string& name, const Wishes& wishes) const {
  if (name != kAuto) return choose_named(name, wishes);
  if (wishes.scope) return choose_able(&MeteringMethod::meters_scopes, "meters several processes");
  if (wishes.hand_overs) return choose_able(&MeteringMethod::finds_hand_overs, "sees hand-overs");
  for (const auto& method : methods_)
    if (wishes.running_pid != 0 && method->has_custody(wishes.running_pid))
      return Choice{{method.get()}, auto_reason(*method, "it has metered this process before")};
  return choose_first(wishes);
}

Result<SourceChooser::Choice> SourceChooser::choose_able(IsAble is_able, const std::string& what) const {
  for (const auto& method : methods_) {
    if (!(method.get()->*is_able)()) continue;
    if (const auto obstacle = method->obstacle())
      return Error{fmt::format("this needs --source {}: {}: {}", method->name(), obstacle->reason, obstacle->advice)};
    return Choice{{method.get()}, auto_reason(*method, "the only one that " + what)};
  }
  return Error{fmt::format("no source of this dpm {} ('dpm doctor' says why)", what)};
}

SourceChooser::Choice SourceChooser::choose_first(const Wishes& wishes) const {
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

Result<SourceChooser::Choice> SourceChooser::choose_named(const std::string& name, const Wishes& wishes) const {
  const auto found =
      std::find_if(methods_.begin(), methods_.end(), [&](const auto& method) { return method->name() == name; });
  if (found == methods_.end())
    return Error{fmt::format("source '{}' does not exist here: {}", name, fmt::join(names(), ", "))};
  const MeteringMethod& method = **found;
  if (const auto obstacle = method.obstacle())
    return Error{fmt::format("--source {}: {}: {}", name, obstacle->reason, obstacle->advice)};
  if (wishes.callers && !method.finds_callers())
    return Error{fmt::format("--where works with --source notify only, not with {}", name)};
  if (wishes.hand_overs && !method.finds_hand_overs())
    return Error{fmt::format("--source {} does not see hand-overs: leave it out, or --hand-overs", name)};
  if (wishes.scope && !method.meters_scopes())
    return Error{fmt::format("--source {} meters single processes only: leave it out", name)};
  return Choice{{&method}, fmt::format("{} (--source {})", name, name)};
}

Result<std::unique_ptr<MeteredRun>> SourceChooser::begin(Choice& choice, const Begin& begin) {
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

}  // namespace dpm
