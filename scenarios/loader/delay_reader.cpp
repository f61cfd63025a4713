#include "scenarios/loader/delay_reader.hpp"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "scenarios/loader/key_tables.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm {
namespace {

// [[bytes, seconds], ...], or one number of seconds for every size.
PiecewiseLinear read_table(const JsonNode& node, const std::string& what, const Reading& reading) {
  std::vector<std::pair<double, double>> points;
  if (!node.is(JsonKind::list)) {
    points.emplace_back(0, reading.number(node, what, kTime));
  } else {
    for (const auto& item : node.items) {
      if (!item.is(JsonKind::list) || item.items.size() != 2) {
        reading.problem(item, fmt::format("every point of {} must be [bytes, seconds]", what));
        continue;
      }
      points.emplace_back(reading.number(item.items[0], "the bytes of " + what, kBytes),
                          reading.number(item.items[1], "the seconds of " + what, kTime));
    }
  }
  auto line = PiecewiseLinear::through(std::move(points));
  if (line) return *std::move(line);
  reading.problem(node, fmt::format("{}: {}", what, line.error().what));
  return {};
}

WakeUp read_wake_up(ObjectReader& object) {
  WakeUp costs;
  costs.delivery_s = object.number("delivery_s", 0, kTime);
  costs.sender_cpu_s = object.number("sender_cpu_s", 0, kTime);
  costs.receiver_cpu_s = object.number("receiver_cpu_s", 0, kTime);
  return costs;
}

WakeUp read_wake_up(const JsonNode* node, const Reading& reading) {
  if (node == nullptr) return {};
  ObjectReader object(*node, key_tables().wake_up, reading);
  return read_wake_up(object);
}

// One for any time of being idle, or [{"idle_s": ..., ...}, ...].
WakeUps read_wake_ups(const JsonNode* node, const Reading& reading) {
  if (node == nullptr || !node->is(JsonKind::list)) return read_wake_up(node, reading);
  std::vector<WakeUps::Point> points;
  for (const auto& item : node->items) {
    ObjectReader object(item, key_tables().wake_up_point, reading);
    const JsonNode* idle = object.need("idle_s");
    points.push_back({idle != nullptr ? reading.number(*idle, "'idle_s'", kTime) : 0, read_wake_up(object)});
  }
  auto wake_ups = WakeUps::through(std::move(points));
  if (wake_ups) return *std::move(wake_ups);
  reading.problem(*node, "'wake_up': " + wake_ups.error().what);
  return {};
}

MeteringCost read_metering(const JsonNode* node, const Reading& reading) {
  MeteringCost cost;
  if (node == nullptr) return cost;
  ObjectReader object(*node, key_tables().metering, reading);
  cost.call_cpu_s = object.number("call_cpu_s", 0, kTime);
  cost.waiting_call_cpu_s = object.number("waiting_call_cpu_s", 0, kTime);
  cost.call_elapsed_s = object.number("call_elapsed_s", 0, kTime);
  cost.waiting_call_elapsed_s = object.number("waiting_call_elapsed_s", 0, kTime);
  cost.wake_up = read_wake_up(object.find("wake_up"), reading);
  return cost;
}

DelayClass read_class(ObjectReader& object, const Reading& reading) {
  DelayClass delays;
  if (const auto* node = object.need("delivery_s")) delays.delivery_s = read_table(*node, "'delivery_s'", reading);
  if (const auto* node = object.find("sender_cpu_s"))
    delays.sender_cpu_s = read_table(*node, "'sender_cpu_s'", reading);
  if (const auto* node = object.find("receiver_cpu_s"))
    delays.receiver_cpu_s = read_table(*node, "'receiver_cpu_s'", reading);
  delays.wake_ups = read_wake_ups(object.find("wake_up"), reading);
  return delays;
}

DelayClass read_class(const JsonNode* node, const std::string& what, const Reading& reading) {
  DelayClass delays;
  if (node == nullptr) return delays;
  if (!node->is(JsonKind::object)) {
    delays.delivery_s = read_table(*node, what, reading);
    return delays;
  }
  ObjectReader object(*node, key_tables().delay_class, reading);
  return read_class(object, reading);
}

PairClass read_pair(const JsonNode& node, const Reading& reading) {
  PairClass pair;
  ObjectReader object(node, key_tables().delay_pair, reading);
  if (const auto* machines = object.need("machines"))
    std::tie(pair.machine_a, pair.machine_b) = read_two_machines(*machines, "a delay pair", reading);
  pair.delays = read_class(object, reading);
  return pair;
}

Calibration read_object(const JsonNode& node, const Reading& reading) {
  Calibration calibration;
  DelayModel& model = calibration.delays;
  ObjectReader object(node, key_tables().delays, reading);
  object.text("$schema", "");
  model.name = object.text("name", "inline");
  model.local = read_class(object.need("local"), "'local'", reading);
  model.remote = read_class(object.need("remote"), "'remote'", reading);
  const JsonNode* pairs = object.find("pairs");
  if (pairs != nullptr && reading.expect(*pairs, JsonKind::list, "'pairs'"))
    for (const auto& pair : pairs->items) model.pairs.push_back(read_pair(pair, reading));
  calibration.metering = read_metering(object.find("metering"), reading);
  object.find("measured");  // for people
  return calibration;
}

}  // namespace

std::pair<std::string, std::string> read_two_machines(const JsonNode& machines, const char* what,
                                                      const Reading& reading) {
  auto names = reading.texts(machines, "'machines'");
  if (names.size() == 2 && names[0] != names[1]) return {std::move(names[0]), std::move(names[1])};
  reading.problem(machines, fmt::format("'machines' of {} must be two different machines", what));
  return {};
}

DelayModel read_delay_model(const JsonNode& node, const std::filesystem::path& folder, const Reading& reading) {
  if (node.is(JsonKind::object)) return read_object(node, reading).delays;
  const std::string name = reading.text(node, "'delays'");
  if (name == "demos-vax") return DelayModel::demos_vax();
  if (name == "zero" || name.empty()) return DelayModel{};
  if (std::filesystem::path(name).extension() == ".json") {
    auto model = load_delay_model(folder / name);
    if (model) return *std::move(model);
    reading.problem(node, "'delays': " + model.error().what);
    return DelayModel{};
  }
  reading.problem(node, fmt::format("no delay model '{}'{}, or the name of a .json file, or an object", name,
                                    hint(name, {"demos-vax", "zero"})));
  return DelayModel{};
}

Result<Calibration> load_calibration(const std::filesystem::path& path) {
  const auto document = load_json(path.string());
  if (!document) return document.error();
  Problems problems(path.string());
  const Environment nothing;
  const Reading reading{problems, nothing};
  Calibration calibration = read_object(*document, reading);
  if (!problems.empty()) return problems.error();
  return calibration;
}

Result<DelayModel> load_delay_model(const std::filesystem::path& path) {
  auto calibration = load_calibration(path);
  if (!calibration) return calibration.error();
  return std::move(calibration->delays);
}

}  // namespace dpm
