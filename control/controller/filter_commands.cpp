#include "control/controller/filter_commands.hpp"

#include <fmt/format.h>

#include "control/controller/columns.hpp"
#include "control/controller/command_forms.hpp"
#include "control/controller/deliveries.hpp"
#include "control/controller/filter_options.hpp"

namespace dpm::control {
namespace {

// The report's names for the standard filter and its two files.
constexpr std::string_view kStandardFilter = "filter";
constexpr std::string_view kDescriptions = "descriptions";
constexpr std::string_view kTemplates = "templates";
constexpr std::size_t kWordsMax = 5;  // without options

// Whether a fetched log is of the standard filter.
bool is_trace(const std::string& log) { return is_ordinary_file(log + "/trace/trace.json"); }

// A machine complains about its copy of a file: "HOME/.cache/dpm/files/8f2ec1a167b6c63b/rules:3: ...". The user knows
// it as `word`. A place below the home begins with "~".
std::string in_users_words(std::string text, const std::string& place, const std::string& word) {
  if (place.empty()) return text;
  const std::string end_of_path = place.starts_with("~/") ? place.substr(1) : place;
  const auto at = text.find(end_of_path);
  if (at == std::string::npos) return text;
  const auto blank = text.find_last_of(" '", at);
  const std::size_t begin = blank == std::string::npos ? 0 : blank + 1;
  return text.replace(begin, at + end_of_path.size() - begin, word);
}

}  // namespace

Outcome FilterCommands::create(Words words) {
  const auto options = take_filter_options(words);
  if (!options) return console_.fail("filter: " + options.error().what);
  if (words.empty() || words.size() > kWordsMax)
    return console_.fail(fmt::format("filter {}; {}", words.empty() ? "needs a name" : "takes fewer parameters",
                                     usage(*find_command("filter").value())));
  const std::string& name = words[0];
  if (computation_.has_filter(name)) return console_.fail(fmt::format("there is a filter '{}' already", name));
  const auto named = sets_.one_named(words.size() > 1 ? words[1] : std::string(kLocalMachine));
  if (!named) return console_.fail("filter: " + named.error().what);
  const std::string& machine = *named;
  auto request = request_for(words, machine);
  if (!request) return console_.fail(fmt::format("filter '{}' was not created: {}", name, request.error().what));
  request->port_first = options->port_first;
  request->port_last = options->port_last;
  request->through_controller = options->through_controller;
  const CreateFilter asked = *request;
  auto created = expect<FilterCreated>(machines_.ask({{machine, *std::move(request)}}).at(0));
  if (!created) {
    std::string why = created.error().what;
    why = in_users_words(std::move(why), asked.descriptions, words.size() > 3 ? words[3] : std::string(kDescriptions));
    why = in_users_words(std::move(why), asked.templates, words.size() > 4 ? words[4] : std::string(kTemplates));
    return console_.fail(fmt::format("filter '{}' was not created: {}", name, why));
  }
  // Other machines may know the machine by the user's name for it, but by none of its addresses.
  if (!machines_.is_here(machine) && !created->address.through_controller)
    created->address.hosts.insert(created->address.hosts.begin(), machine);
  created->address.filter = name;
  computation_.note_new(machine, created->pid);
  computation_.filters().push_back(
      {.name = name, .machine = machine, .pid = created->pid, .address = created->address, .log = created->log});
  if (created->address.through_controller) machines_.serve_tunnels(created->address, machine, created->pid);
  known_machines_.remember(machine);
  console_.say(fmt::format("filter '{}' was created: identifier = {}", name, created->pid));
  return Outcome::done;
}

Result<CreateFilter> FilterCommands::request_for(const Words& words, const std::string& machine) {
  CreateFilter request;
  request.name = words[0];
  request.loopback_only = machines_.are_all_here();
  const bool is_standard = words.size() < 3 || (words[2] == kStandardFilter && !is_ordinary_file(words[2]));
  if (!is_standard) {
    auto program = copies_.place(machine, words[2], FileUse::executable);
    if (!program) return program.error();
    request.program = *std::move(program);
  }
  const auto standard_file = [&](std::size_t index, std::string_view usual, std::string& place) -> Result<void> {
    std::string file = words.size() > index ? words[index] : "";
    if (file.empty() && is_standard && is_ordinary_file(usual)) {
      file = usual;
      console_.say(fmt::format("filter '{}' uses the file '{}' of this folder", request.name, file));
    }
    if (file.empty()) return {};
    auto placed = copies_.place(machine, file, FileUse::input);
    if (!placed) return placed.error();
    place = *std::move(placed);
    return {};
  };
  if (auto done = standard_file(3, kDescriptions, request.descriptions); !done) return done.error();
  if (auto done = standard_file(4, kTemplates, request.templates); !done) return done.error();
  return request;
}

Outcome FilterCommands::list() {
  if (computation_.filters().empty()) {
    console_.say("no filters; 'filter <filtername>' creates one here");
    return Outcome::done;
  }
  std::vector<std::vector<std::string>> rows = {{"identifier", "filter", "machine", ""}};
  for (const auto& filter : computation_.filters()) {
    const std::string remark = filter.is_unadopted()   ? "not adopted"
                               : !filter.ended.empty() ? "ended: " + filter.ended
                               : filter.is_unreachable ? "unreachable"
                                                       : Deliveries(computation_).remark(filter);
    rows.push_back({filter.is_unadopted() ? "-" : std::to_string(filter.pid), filter.name, filter.machine, remark});
  }
  console_.say(columns(rows, 0));
  return Outcome::done;
}

Outcome FilterCommands::get_log(const Words& words) {
  const std::string &name = words[0], &destination = words[1];
  if (words.size() == 2) {
    const auto filter = computation_.filter(name);
    if (!filter) return console_.fail("getlog: " + filter.error().what);
    if ((*filter)->is_unadopted()) return console_.fail(fmt::format("getlog: filter '{}' was not adopted", name));
    return get_log_of(**filter, destination);
  }
  const auto machine = sets_.one_named(words[2]);
  if (!machine) return console_.fail("getlog: " + machine.error().what);
  for (auto& filter : computation_.filters())
    if (filter.machine == *machine && name_of_log(filter.log) == name) return get_log_of(filter, destination);
  const LogPlace place{*machine, name, fmt::format("'{}' on {}", name, *machine)};
  if (auto done = fetch_.fetch(place, destination, {}); !done) return console_.fail("getlog: " + done.error().what);
  return Outcome::done;
}

Outcome FilterCommands::get_log_of(FilterRecord& filter, const std::string& destination) {
  const auto undelivered = Deliveries(computation_).of(filter.name);
  const LogPlace place{filter.machine, name_of_log(filter.log), fmt::format("filter '{}'", filter.name)};
  if (auto done = fetch_.fetch(place, destination, undelivered); !done)
    return console_.fail("getlog: " + done.error().what);
  // The standard filter writes as it goes, other programs perhaps at their end.
  const bool is_whole =
      !filter.ended.empty() || (is_trace(destination) && computation_.active_processes_of(filter).empty());
  filter.fetched = is_whole ? FilterRecord::Fetched::whole : FilterRecord::Fetched::before_its_end;
  if (const auto missing = Deliveries(computation_).sentences(filter); !missing.empty()) console_.say(missing);
  return Outcome::done;
}

}  // namespace dpm::control
