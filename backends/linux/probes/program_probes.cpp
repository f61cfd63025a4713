#include "backends/linux/probes/program_probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "backends/linux/probes/program_files.hpp"
#include "model/nearest_name.hpp"

namespace dpm {
namespace {

constexpr std::size_t kModulesMost = 500;
constexpr std::size_t kNearNamesMost = 50;  // unknown functions for which near names are looked for among all
constexpr std::string_view kArgument = "arg", kResult = "result";

// "arg1", "arg2:s32", "result", "result:u8".
std::optional<FunctionArgument> parse_argument(std::string_view word) {
  FunctionArgument argument;
  const bool is_result = word.starts_with(kResult);
  if (!is_result && !word.starts_with(kArgument)) return std::nullopt;
  word.remove_prefix(is_result ? kResult.size() : kArgument.size());
  const auto read = [&](auto& number) {
    const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (wrong != std::errc()) return false;
    word.remove_prefix(static_cast<std::size_t>(end - word.data()));
    return true;
  };
  if (is_result) argument.place = Probe::kResult;
  if (!is_result && (!read(argument.place) || argument.place < 1 || argument.place >= Probe::kResult))
    return std::nullopt;
  if (word.empty()) return argument;
  if (word.size() < 3 || word[0] != ':' || (word[1] != 's' && word[1] != 'u')) return std::nullopt;
  argument.is_signed = word[1] == 's';
  word.remove_prefix(2);
  if (!read(argument.bits) || !word.empty()) return std::nullopt;
  if (argument.bits != 8 && argument.bits != 16 && argument.bits != 32 && argument.bits != 64) return std::nullopt;
  return argument;
}

}  // namespace

ProgramProbes::ProgramProbes(const std::string& path) {
  add(path);
  const std::string folder = std::filesystem::path(path).parent_path();
  for (std::size_t i = 0; i < modules_.size() && modules_.size() < kModulesMost; ++i) {
    const ModuleFunctions& of = *modules_[i].functions;
    for (const std::string& library : std::vector<std::string>(of.libraries()))
      add(find_library_file(library, folder, modules_[i].functions->library_path()));
  }
}

ProgramProbes::ProgramProbes(const std::vector<std::string>& files) {
  for (const std::string& file : files) add(file);
}

void ProgramProbes::add(const std::string& path) {
  if (path.empty() || std::ranges::find(modules_, path, &Module::path) != modules_.end()) return;
  if (auto functions = ModuleFunctions::open(path)) modules_.push_back({path, std::move(functions)});
}

bool ProgramProbes::has_all(const std::vector<std::string>& files) const {
  return std::ranges::all_of(files, [&](const std::string& file) {
    return std::ranges::find(modules_, file, &Module::path) != modules_.end();
  });
}

bool ProgramProbes::uses_library() const {
  return std::ranges::any_of(modules_, [](const Module& module) { return module.functions->has_section(".note.dpm"); });
}

Result<ProgramProbes::Plan> ProgramProbes::plan(const monitor::ActionName& action, const std::string& object,
                                                const std::string& function) {
  if (action.kind != monitor::Kind::kPoint && action.kind != monitor::Kind::kInteger)
    return Error{
        fmt::format("{} is of programs that use libdpm; in others, functions are points and their arguments integers",
                    action.name)};
  const bool is_forced = action.kind == monitor::Kind::kPoint && action.action == monitor::Action::kForced;
  if (is_forced || (object.find(':') != std::string::npos && !parse_argument(object)))
    return plan_tracepoint(action, object);
  return plan_function(action, object, function);
}

Result<ProgramProbes::Plan> ProgramProbes::plan_tracepoint(const monitor::ActionName& action,
                                                           const std::string& object) {
  std::string name = object;
  Probe probe{"", ProbeKind::tracepoint};
  if (action.name == "point_enter" || action.name == "point_leave")
    return Error{fmt::format("{} does not fit the static tracepoint {}: it is passed (point_forced), not entered",
                             action.name, object)};
  if (const std::size_t last = object.rfind(':'); last != std::string::npos && last != object.find(':'))
    if (const auto argument = parse_argument(object.substr(last + 1))) {
      probe.value = argument->place;
      name = object.substr(0, last);
    }
  probe.tracepoint = name;
  Plan plan;
  std::vector<std::string> valid;
  for (const Module& module : modules_)
    for (const std::string& known : module.functions->tracepoints()) {
      valid.push_back(known);
      if (known != name) continue;
      probe.path = module.path;
      plan.probes.push_back(probe);
    }
  if (!plan.probes.empty()) return plan;
  if (valid.empty())
    return Error{
        fmt::format("{} and its libraries have no static tracepoint, so not '{}'", file_part(modules_[0].path), name)};
  return Error{fmt::format("{} and its libraries have no static tracepoint '{}'{}", file_part(modules_[0].path), name,
                           did_you_mean(name, valid))};
}

Result<ProgramProbes::Plan> ProgramProbes::plan_function(const monitor::ActionName& action, const std::string& object,
                                                         const std::string& function) {
  const auto module =
      std::ranges::find_if(modules_, [&](const Module& one) { return !one.functions->find(function).empty(); });
  if (module == modules_.end()) return unknown_function(function);
  Plan plan;
  for (const FunctionEntry& entry : module->functions->find(function)) {
    if (entry.is_resolver)
      return Error{fmt::format("{} of {} is chosen when the program is loaded; its versions have names of their own",
                               function, file_part(module->path))};
    Probe probe{module->path, ProbeKind::entry, entry.file_offset};
    if (action.name == "point_leave") probe.kind = ProbeKind::exit;
    if (action.kind == monitor::Kind::kInteger)
      if (auto chosen = choose_value(*module, entry, object, function, probe); !chosen) return chosen.error();
    plan.probes.push_back(std::move(probe));
  }
  if (const std::size_t places = module->functions->inlined(function); places > 0)
    plan.warning = fmt::format("{} was also inlined at {} places of {}: calls there are not seen", function, places,
                               file_part(module->path));
  return plan;
}

Result<void> ProgramProbes::choose_value(Module& module, const FunctionEntry& entry, const std::string& object,
                                         const std::string& function, Probe& probe) {
  const auto known = module.functions->arguments(entry.file_offset);
  std::optional<FunctionArgument> argument = parse_argument(object);
  if (argument && argument->place == Probe::kResult) probe.kind = ProbeKind::exit;
  if (entry.is_copy && probe.kind != ProbeKind::exit)
    return Error{fmt::format("the compiler changed the arguments of {} ({}): only its entry and exit are seen",
                             function, entry.symbol)};
  if (argument && known && object.find(':') == std::string::npos)  // its type is known
    for (const FunctionArgument& one : *known)
      if (one.place == argument->place) argument = one;
  std::vector<std::string> valid;
  if (!argument && known)
    for (const FunctionArgument& one : *known) {
      valid.push_back(one.name);
      if (one.name == object) argument = one;
    }
  if (!argument)
    return Error{fmt::format("{} has no argument '{}'{}; there are arg1 to arg6 and result{}", function, object,
                             did_you_mean(object, valid), known ? "" : ", and names with debug information only")};
  if (argument->place == 0)
    return Error{fmt::format("the argument '{}' of {} is not a whole number in a register", object, function)};
  probe.value = argument->place;
  probe.bits = argument->bits;
  probe.is_signed = argument->is_signed;
  return {};
}

Error ProgramProbes::unknown_function(const std::string& function) {
  std::vector<std::string> valid;
  const bool is_explained = unknown_++ < kNearNamesMost;
  for (Module& module : modules_) {
    if (const std::size_t places = module.functions->inlined(function); places > 0)
      return Error{
          fmt::format("{} is inlined at all {} places of {} that call it, so no call of it can be seen; build it "
                      "with __attribute__((noinline))",
                      function, places, file_part(module.path))};
    if (!is_explained) continue;
    const auto names = module.functions->names();
    valid.insert(valid.end(), names.begin(), names.end());
  }
  return Error{fmt::format("{} and its libraries have no function '{}'{}", file_part(modules_[0].path), function,
                           is_explained && valid.empty() ? "; they have no symbols" : did_you_mean(function, valid))};
}

}  // namespace dpm
