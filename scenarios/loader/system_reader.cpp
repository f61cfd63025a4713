#include "scenarios/loader/system_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/nearest_name.hpp"
#include "scenarios/loader/delay_reader.hpp"
#include "scenarios/loader/fault_reader.hpp"
#include "scenarios/loader/key_tables.hpp"
#include "scenarios/loader/network_reader.hpp"
#include "scenarios/loader/program_parameters.hpp"

namespace dpm {
namespace {

constexpr Range kCores{1, 65535};
constexpr Range kOffset{-kLongestTime_s, kLongestTime_s};
constexpr Range kDrift{-1e5, 1e5};
constexpr Range kTick{1e-9, kLongestTime_s};
constexpr Range kMessages{0, 1e12};

Duration seconds(double value) { return Duration::from_seconds(value); }

const std::vector<JsonNode>& items_of(const JsonNode* list, const std::string& what, const Reading& reading) {
  static const std::vector<JsonNode> kNone;
  return list != nullptr && reading.expect(*list, JsonKind::list, what) ? list->items : kNone;
}

bool mentions_index(const JsonNode& node) {
  if (node.is(JsonKind::text))
    return node.text.find("$index") != std::string::npos || node.text.find("${") != std::string::npos ||
           node.text == "$count";
  const auto in_member = [](const JsonMember& member) { return mentions_index(member.value); };
  return std::any_of(node.items.begin(), node.items.end(), mentions_index) ||
         std::any_of(node.members.begin(), node.members.end(), in_member);
}

bool is_empty_list(const JsonNode& node) { return node.is(JsonKind::list) && node.items.empty(); }

MeterFlags read_flags(const JsonNode& node, const Reading& reading) {
  if (node.is(JsonKind::text) && (node.text == "none" || node.text.empty())) return {};
  const auto flags = apply_flags({}, reading.text(node, "'flags'"));
  if (flags) return *flags;
  reading.problem(node, flags.error().what);
  return {};
}

}  // namespace

SystemReader::SystemReader(ObjectReader& root, const Reading& reading, const Surroundings& around)
    : root_(root), reading_(reading), around_(around), wiring_(scenario_, processes_, root.node(), reading) {}

bool SystemReader::read(const std::string& placement) {
  scenario_.name = root_.needed_text("name");
  scenario_.time_limit = seconds(root_.number("time_limit_s", 0, kTime));
  scenario_.services_finish = root_.flag("services_finish", false);
  scenario_.message_limit = root_.whole("message_limit", 0, kMessages);
  scenario_.move_data_message_bytes =
      static_cast<std::uint32_t>(root_.whole("move_data_message_bytes", 1000, Range{1, kBytes.high}));
  read_machines();
  read_process_names();
  if (is_count_refused_) return false;
  if (const auto* delays = root_.find("delays")) {
    scenario_.delays = read_delay_model(*delays, around_.folder, reading_);
    for (const auto& pair : scenario_.delays.pairs)
      for (const auto& machine : {pair.machine_a, pair.machine_b})
        machine_names_.check_one(reading_, *delays, machine, "a delay pair");
  } else {
    scenario_.delays = DelayModel::demos_vax();
  }
  scenario_.network = read_network(root_.find("network"), machine_names_, reading_);
  read_meter();
  read_filters();
  kinds_.read(root_.find("kinds"), root_.find("programs"), reading_);
  read_semaphores();
  read_processes();
  read_placements();
  check_machines(placement);
  scenario_.faults = read_faults(root_.find("faults"), machine_names_, process_names_, reading_);
  read_scheduler();
  read_spawnable();
  wiring_.finish();
  return true;
}

std::optional<std::uint64_t> SystemReader::read_members(const JsonNode* count) {
  if (count == nullptr) return std::nullopt;
  const std::size_t before = reading_.problems.size();
  const std::uint64_t members = reading_.whole(*count, "'count'", kCount);
  is_count_refused_ |= reading_.problems.size() > before;
  return members;
}

// ---- machines

void SystemReader::read_machines() {
  const JsonNode* machines = root_.need("machines");
  if (machines == nullptr) return;
  for (const auto& item : items_of(machines, "'machines'", reading_)) {
    if (item.is(JsonKind::text)) {
      MachineDescription machine;
      machine.name = item.text;
      for (const auto& name : machine_names_.add(reading_, item, reading_.text(item, "a machine"), std::nullopt)) {
        machine.name = name;
        scenario_.machines.push_back(machine);
      }
      continue;
    }
    ObjectReader object(item, key_tables().machine, reading_);
    const std::string name = object.needed_text("name");
    const auto count = read_members(object.find("count"));
    MachineDescription machine = read_machine(object);
    for (const auto& made : machine_names_.add(reading_, item, name, count)) {
      machine.name = made;
      scenario_.machines.push_back(machine);
    }
  }
  if (scenario_.machines.empty() && !is_count_refused_)
    reading_.problem(*machines, "a scenario needs at least one machine");
}

MachineDescription SystemReader::read_machine(ObjectReader& object) {
  MachineDescription machine;
  machine.speed = object.number("speed", 1, kSpeed);
  machine.cores = static_cast<std::uint16_t>(object.whole("cores", 1, kCores));
  if (object.has("accepts")) machine.accepts = object.flag("accepts", true);
  if (const auto* node = object.find("clock")) {
    ObjectReader clock(*node, key_tables().clock, reading_);
    machine.clock.offset = seconds(clock.number("offset_s", 0, kOffset));
    machine.clock.drift_ppm = clock.number("drift_ppm", 0, kDrift);
    machine.clock.tick = seconds(clock.number("tick_s", 1e-9, kTick));
  }
  return machine;
}

// ---- processes

// Names first: links and programs may name processes that come later.
void SystemReader::read_process_names() {
  const JsonNode* processes = root_.need("processes");
  if (processes == nullptr) return;
  for (const auto& item : items_of(processes, "'processes'", reading_)) {
    ProcessEntry entry;
    entry.node = &item;
    const JsonNode* name = item.find("name");
    const JsonNode* count = item.find("count");
    entry.counted = count != nullptr;
    if (name != nullptr) {
      const auto members = read_members(count);
      for (const auto& made : process_names_.add(reading_, item, reading_.text(*name, "'name'"), members)) {
        processes_.index[made] = scenario_.processes.size();
        processes_.entry_of[made] = processes_.entries.size();
        entry.members.push_back(scenario_.processes.size());
        scenario_.processes.emplace_back().name = made;
      }
    }
    processes_.entries.push_back(std::move(entry));
  }
  if (scenario_.processes.empty() && !is_count_refused_)
    reading_.problem(*processes, "a scenario needs at least one process");
}

void SystemReader::read_semaphores() {
  const JsonNode* semaphores = root_.find("semaphores");
  if (semaphores == nullptr || !reading_.expect(*semaphores, JsonKind::object, "'semaphores'")) return;
  for (const auto& member : semaphores->members)
    scenario_.semaphores.push_back(
        {member.key, reading_.whole(member.value, fmt::format("'{}'", member.key), kRepeats)});
}

void SystemReader::read_processes() {
  for (auto& entry : processes_.entries) {
    ObjectReader object(*entry.node, key_tables().process, reading_);
    read_process(object, entry);
  }
  const JsonNode* programs = root_.find("programs");
  if (programs == nullptr || !reading_.expect(*programs, JsonKind::object, "'programs'")) return;
  if (!reading_.problems.empty()) return;  // a process may have meant it
  for (const auto& program : programs->members)
    if (used_programs_.count(program.key) == 0)
      reading_.problems.add(program.line, fmt::format("no process runs program '{}'", program.key));
}

void SystemReader::read_process(ObjectReader& object, ProcessEntry& entry) {
  object.need("name");
  object.find("count");
  ProcessDescription common;
  common.flags = default_flags_;
  if (const auto* flags = object.find("flags")) common.flags = read_flags(*flags, reading_);
  common.filter = object.text("filter", scenario_.filters.front().name);
  const auto named = [&](const FilterDescription& filter) { return filter.name == common.filter; };
  if (std::none_of(scenario_.filters.begin(), scenario_.filters.end(), named)) {
    std::vector<std::string> names;
    for (const auto& filter : scenario_.filters) names.push_back(filter.name);
    reading_.problem(*object.find("filter"),
                     fmt::format("no filter '{}'{}", common.filter, hint(common.filter, names)));
  }
  common.in_computation = object.flag("in_computation", true);
  entry.service_given = object.has("service");
  common.service = object.flag("service", false);
  common.created_later = object.flag("created_later", false);
  const JsonNode* machine = object.find("machine");
  const JsonNode* links = object.find("links");
  for (std::size_t i = 0; i < entry.members.size(); ++i) {
    auto& process = scenario_.processes[entry.members[i]];
    common.name = process.name;
    process = common;
    const bool by_index = entry.counted && ((machine != nullptr && mentions_index(*machine)) ||
                                            (links != nullptr && mentions_index(*links)));
    const Environment member = by_index ? member_environment(entry, i) : Environment{&reading_.names, {}};
    const Reading reading{reading_.problems, member};
    if (machine != nullptr && (i == 0 || by_index)) {
      entry.machines = machine_names_.expand(reading, *machine, "'machine'");
      if (is_empty_list(*machine)) reading_.problem(*machine, "'machine' names no machine");
    }
    if (!entry.machines.empty()) process.machine = entry.machines[i % entry.machines.size()];
    if (links != nullptr) read_links(*links, entry.members[i], reading);
  }
  read_program(object, entry);
}

void SystemReader::read_links(const JsonNode& links, std::size_t process, const Reading& reading) {
  if (!reading.expect(links, JsonKind::list, "'links'")) return;
  for (const auto& item : links.items) {
    const ProcessNames members = process_names_.find(reading, item, reading.name(item, "'links'"), "'links'");
    if (members != nullptr) wiring_.add_links(process, *members);
  }
}

Environment SystemReader::member_environment(const ProcessEntry& entry, std::size_t member) const {
  Environment environment{&reading_.names, {}};
  if (!entry.counted) return environment;
  environment.values["index"] = static_cast<double>(member + 1);
  // A scenario may have a parameter of that name.
  if (reading_.names.find("count") == nullptr) environment.values["count"] = static_cast<double>(entry.members.size());
  return environment;
}

// ---- programs

void SystemReader::read_program(ObjectReader& object, ProcessEntry& entry) {
  const JsonNode* program = object.need("program");
  const JsonNode* parameters = object.find("parameters");
  if (program == nullptr) return;
  const std::string name = reading_.text(*program, "'program'");
  if (name.empty()) return;
  for (const std::size_t member : entry.members) scenario_.processes[member].program_name = name;
  const JsonNode* in_file = root_.find("programs");
  in_file = in_file == nullptr ? nullptr : in_file->find(name);
  if (in_file != nullptr) {
    used_programs_.insert(name);
    entry.in_file = in_file;
    return read_in_file_program(*in_file, parameters, entry);
  }
  Program shared;
  for (std::size_t i = 0; i < std::max<std::size_t>(entry.members.size(), 1); ++i) {
    const bool by_index = parameters != nullptr && entry.counted && mentions_index(*parameters);
    const Environment environment = member_environment(entry, i);
    if (shared == nullptr || by_index)
      shared = make_registered(name, *program, parameters, Reading{reading_.problems, environment});
    if (i < entry.members.size()) scenario_.processes[entry.members[i]].program = shared;
    if (!reading_.problems.empty()) return;
  }
}

Program SystemReader::make_registered(const std::string& name, const JsonNode& at, const JsonNode* parameters,
                                      const Reading& reading) {
  const auto found = around_.programs.find(name, around_.home);
  if (!found) {
    std::vector<std::string> in_file;
    if (const auto* programs = root_.find("programs"))
      for (const auto& member : programs->members) in_file.push_back(member.key);
    const std::string meant = did_you_mean(name, in_file);
    reading.problem(at, meant.empty() ? found.error().what : fmt::format("no program '{}'{}", name, meant));
    return nullptr;
  }
  return make_program(name, **found, at, parameters, reading);
}

void SystemReader::read_in_file_program(const JsonNode& program, const JsonNode* parameters, ProcessEntry& entry) {
  const bool by_index =
      entry.counted && (mentions_index(program) || (parameters != nullptr && mentions_index(*parameters)));
  const std::size_t readings = by_index ? std::max<std::size_t>(entry.members.size(), 1) : 1;
  for (std::size_t i = 0; i < readings; ++i) {
    const Environment member = member_environment(entry, i);
    const Environment environment = parameters_of(program, parameters, Reading{reading_.problems, member});
    const Reading reading{reading_.problems, environment};
    entry.programs.push_back(
        std::make_shared<InFileProgram>(dpm::read_program(program, reading, kinds_, process_names_)));
    if (!reading_.problems.empty()) return;  // once is enough: every member would say the same
  }
}

void SystemReader::read_scheduler() {
  const JsonNode* node = root_.find("scheduler");
  if (node == nullptr) return;
  ObjectReader object(*node, key_tables().scheduler, reading_);
  SchedulerDescription scheduler;
  scheduler.policy = object.text("policy", "predicted");
  if (const auto* machine = object.find("machine")) {
    scheduler.machine = reading_.text(*machine, "'machine'");
    machine_names_.check_one(reading_, *machine, scheduler.machine, "'machine'");
  }
  if (const auto* processes = object.find("processes"))
    scheduler.processes = process_names_.expand(reading_, *processes, "'processes'");
  const auto time = [&](const char* key, Duration& value) {
    value = seconds(object.number(key, value.seconds(), kTime));
  };
  time("every_s", scheduler.every);
  scheduler.window = seconds(object.number("window_s", scheduler.window.seconds(), Range{0, kLongestTime_s, true}));
  time("settling_s", scheduler.settling);
  time("hold_s", scheduler.hold);
  time("horizon_s", scheduler.horizon);
  time("decision_cpu_s", scheduler.decision_cpu);
  scheduler.gain_min = object.number("gain_min", scheduler.gain_min, Range{0, 1e6});
  scheduler.evaluations = object.whole("evaluations", scheduler.evaluations, Range{1, 1e6});
  scheduler.state_bytes = static_cast<std::uint32_t>(object.whole("state_bytes", scheduler.state_bytes, kBytes));
  if (const auto* compare = object.find("compare")) scheduler.compare = reading_.texts(*compare, "'compare'");
  scheduler.static_placements_max = object.whole("static_placements_max", 0, Range{0, 1e5});
  if (const auto* placement = object.find("placement")) {
    const std::string name = reading_.text(*placement, "'placement'");
    if (system_.placements.count(name) == 0) {
      reading_.problem(*placement, fmt::format("the scenario has no placement '{}'", name));
    } else {
      const auto machines = system_.machines_in(name);
      for (std::size_t p = 0; p < machines.size(); ++p) scheduler.placement[scenario_.processes[p].name] = machines[p];
    }
  }
  scenario_.scheduler = std::move(scheduler);
}

void SystemReader::read_spawnable() {
  for (const auto& item : items_of(root_.find("spawnable"), "'spawnable'", reading_)) {
    ObjectReader object(item, key_tables().spawnable, reading_);
    const JsonNode* program = object.need("program");
    const JsonNode* parameters = object.find("parameters");
    SpawnableProgram spawnable;
    spawnable.in_computation = object.flag("in_computation", true);
    const std::string name = program == nullptr ? "" : reading_.text(*program, "'program'");
    spawnable.name = object.text("name", name);
    const JsonNode* in_file = root_.find("programs");
    if (in_file != nullptr && in_file->find(name) != nullptr) {
      reading_.problem(*program, fmt::format("'{}' is written in the file; only programs written in C++ can be "
                                             "spawned, because a spawned process starts without links",
                                             name));
    } else if (program != nullptr && !name.empty()) {
      spawnable.program = make_registered(name, *program, parameters, reading_);
    }
    const auto same = [&](const SpawnableProgram& other) { return other.name == spawnable.name; };
    if (std::any_of(scenario_.programs.begin(), scenario_.programs.end(), same))
      reading_.problem(item, fmt::format("there are two spawnable programs of the name '{}'", spawnable.name));
    scenario_.programs.push_back(std::move(spawnable));
  }
}

// ---- meter and filters

void SystemReader::read_meter() {
  const JsonNode* node = root_.find("meter");
  if (node == nullptr) return;
  ObjectReader object(*node, key_tables().meter, reading_);
  MeterDescription& meter = scenario_.meter;
  if (const auto* flags = object.find("flags")) default_flags_ = read_flags(*flags, reading_);
  meter.buffered_events =
      static_cast<std::uint32_t>(object.whole("buffered_events", meter.buffered_events, Range{1, 1e6}));
  meter.cpu_per_event = seconds(object.number("cpu_per_event_s", 0, kTime));
  meter.cpu_per_meter_message = seconds(object.number("cpu_per_meter_message_s", 0, kTime));
  meter.bytes_per_event =
      static_cast<std::uint32_t>(object.whole("bytes_per_event", meter.bytes_per_event, Range{1, 1e6}));
  meter.delayed_delivery = object.flag("delayed_delivery", false);
}

void SystemReader::read_filters() {
  const std::string first_machine = scenario_.machines.empty() ? "" : scenario_.machines.front().name;
  for (const auto& item : items_of(root_.find("filters"), "'filters'", reading_)) {
    ObjectReader object(item, key_tables().filter, reading_);
    FilterFiles filter;
    filter.name = object.needed_text("name");
    filter.machine = object.text("machine", first_machine);
    if (const auto* machine = object.find("machine"))
      machine_names_.check_one(reading_, *machine, filter.machine, "'machine'");
    if (const auto* templates = object.find("templates")) {
      filter.templates = around_.folder / reading_.text(*templates, "'templates'");
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(filter.templates, ignored))
        reading_.problem(*templates, "'templates': there is no file " + filter.templates.string());
    }
    if (const auto* descriptions = item.find("descriptions"))
      reading_.problem(*descriptions,
                       "simulated meters write the records of filter/descriptions/dpm.desc, and no others; the rules "
                       "of a filter select the records and fields that it keeps");
    if (const auto* rules = object.find("rules")) {
      filter.rules = reading_.texts(*rules, "'rules'");
      if (rules->is(JsonKind::text)) filter.rule_lines.push_back(rules->line);
      for (const auto& rule : rules->items) filter.rule_lines.push_back(rule.line);
      if (!filter.templates.empty()) reading_.problem(*rules, "a filter has 'templates' or 'rules', not both");
    }
    const auto same = [&](const FilterFiles& other) { return other.name == filter.name; };
    if (std::any_of(filters_.begin(), filters_.end(), same))
      reading_.problem(item, fmt::format("there are two filters of the name '{}'", filter.name));
    filters_.push_back(std::move(filter));
  }
  if (filters_.empty()) filters_.push_back({"filter", first_machine, {}, {}});
  for (const auto& filter : filters_) scenario_.filters.push_back({filter.name, filter.machine});
}

// ---- where processes stand, and what breaks

void SystemReader::read_placements() {
  const JsonNode* placements = root_.find("placements");
  if (placements == nullptr || !reading_.expect(*placements, JsonKind::object, "'placements'")) return;
  std::map<std::string, std::uint32_t> machine_index;
  for (std::uint32_t m = 0; m < scenario_.machines.size(); ++m) machine_index[scenario_.machines[m].name] = m;
  for (const auto& placement : placements->members) {
    if (!reading_.expect(placement.value, JsonKind::object, fmt::format("placement '{}'", placement.key))) continue;
    const std::string what = fmt::format("placement '{}'", placement.key);
    auto& moves = system_.placements[placement.key];
    for (const auto& member : placement.value.members) {
      const auto machines = machine_names_.expand(reading_, member.value, what);
      if (is_empty_list(member.value) || (machines.empty() && reading_.problems.empty()))
        reading_.problem(member.value, fmt::format("{} names no machine for '{}'", what, member.key));
      JsonNode at;  // a key has a line, but is not a node
      at.line = member.line;
      const ProcessNames processes = process_names_.find(reading_, at, member.key, what);
      if (processes == nullptr || machines.empty()) continue;
      SystemTemplate::Move move{processes, {}};
      for (std::size_t i = 0; i < std::min(machines.size(), processes->size()); ++i)
        move.machines.push_back(machine_index.at(machines[i]));
      if (!move.machines.empty()) moves.push_back(std::move(move));
    }
  }
}

// A file without a placement of its own may leave it to the user to choose one of those that it names.
void SystemReader::check_machines(const std::string& placement) {
  const bool is_left_open = placement.empty() && !system_.placements.empty();
  const std::vector<std::string> machines = system_.machines_in(placement);
  for (const auto& entry : processes_.entries) {
    system_.entries.push_back({entry.node->line, entry.members});
    const auto nowhere = std::find_if(entry.members.begin(), entry.members.end(),
                                      [&](std::size_t member) { return machines[member].empty(); });
    const bool said = entry.node->find("machine") != nullptr && !reading_.problems.empty();
    if (nowhere != entry.members.end() && !said && !is_left_open)
      reading_.problem(*entry.node, system_.on_no_machine(scenario_.processes[*nowhere].name, placement));
  }
}

}  // namespace dpm
