#include "validation/program_generator/draft.hpp"

#include <fmt/format.h>

#include <cmath>

#include "model/check.hpp"

namespace dpm::validation {
namespace {

// Three significant digits: a file should be readable when it is inspected after a bad prediction.
double rounded(double value) {
  if (value == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::fabs(value))) - 2);
  return std::round(value / unit) * unit;
}

}  // namespace

Draft::Draft(std::uint64_t seed, const char* stream) : seed_(seed), random_(Random::stream(seed, stream)) {
  scale_s_ = rounded(std::exp(random_.uniform(std::log(.003), std::log(.05))));
}

double Draft::uniform(double low, double high) { return rounded(random_.uniform(low, high)); }

const char* Draft::one_of(std::initializer_list<const char*> words) {
  return *(words.begin() + static_cast<std::ptrdiff_t>(random_.below(words.size())));
}

Json Draft::constant_time(double scale) { return rounded(scale * scale_s_); }

Json Draft::time(double scale) {
  const double mean = rounded(scale * scale_s_);
  switch (random_.below(4)) {
    case 0:
      return mean;
    case 1:
      return {{"uniform", {rounded(mean / 2), rounded(mean * 1.5)}}};
    case 2:
      return {{"choice", {rounded(mean / 2), rounded(mean * 3)}}, {"weights", {4, 1}}};
    default:
      return {{"exponential", mean}};
  }
}

Json Draft::bytes() {
  if (chance(.5)) return between(16, 1000);
  return {{"choice", {between(16, 100), between(100, 2000)}}, {"weights", {3, 1}}};
}

void Draft::add_program(const std::string& name, Json program) {
  for (const char* part : {"start", "on"})
    if (program.contains(part)) program[part] = list_of(program[part]);
  if (program.contains("on") && !program.contains("per_request")) program["per_request"] = chance(.6);
  programs_[name] = std::move(program);
}

void Draft::add_of_program(const std::string& name, std::uint64_t count, const std::string& program) {
  Json process = {{"name", name}, {"program", program}};
  if (count > 1) process["count"] = count;
  processes_.push_back(std::move(process));
  for (std::uint64_t i = 1; i <= count; ++i) names_.push_back(member(name, i, count));
}

void Draft::add(const std::string& name, std::uint64_t count, Json program) {
  add_program(name, std::move(program));
  add_of_program(name, count, name);
}

void Draft::say(const std::string& what) { variant_ += (variant_.empty() ? "" : ", ") + what; }

Json Draft::delay_class(double base_s) {
  const double per_byte_s = base_s * random_.uniform(.0001, .002);
  Json delays = {{"delivery_s", {{1, rounded(base_s)}, {1000, rounded(base_s + 1000 * per_byte_s)}}}};
  if (chance(.2)) {
    delays["sender_cpu_s"] = rounded(scale_s_ * .02);
    delays["receiver_cpu_s"] = rounded(scale_s_ * .02);
  }
  return delays;
}

Json Draft::delays() {
  if (chance(.5)) return "demos-vax";
  const double remote_s = scale_s_ * std::exp(random_.uniform(std::log(.01), std::log(2)));
  return {{"name", "drawn"},
          {"local", delay_class(remote_s * random_.uniform(.05, .5))},
          {"remote", delay_class(remote_s)}};
}

Json Draft::machines(std::uint64_t count) {
  const bool differ = chance(machines_differ_);
  Json machines = Json::array();
  for (std::uint64_t m = 1; m <= count; ++m) {
    Json machine = {{"name", "m" + std::to_string(m)}};
    if (differ) machine["speed"] = uniform(.5, 2);
    machines.push_back(std::move(machine));
  }
  return machines;
}

Json Draft::placements(std::uint64_t machines) {
  DPM_CHECK(machines > 0);
  const auto on_machine = [](std::uint64_t m) { return "m" + std::to_string(m + 1); };
  const auto placement = [&](const auto& machine_of) {
    Json places = Json::object();
    for (std::size_t p = 0; p < names_.size(); ++p) places[names_[p]] = on_machine(machine_of(p));
    return places;
  };
  Json placements = Json::object();
  placements["spread"] = placement([&](std::size_t p) { return p % machines; });
  if (chance(.5)) placements["single"] = placement([](std::size_t) { return std::uint64_t{0}; });
  placements["blocks"] = placement([&](std::size_t p) { return p * machines / names_.size(); });
  placements["drawn"] = placement([&](std::size_t) { return random_.below(machines); });
  return placements;
}

Json Draft::finish(const std::string& name) {
  const std::uint64_t machine_count = between(2, 6);
  Json file = {{"name", name}, {"summary", variant_}, {"seed", seed_}};
  file["machines"] = machines(machine_count);
  file["delays"] = delays();
  file["programs"] = std::move(programs_);
  for (auto& process : processes_) process["machine"] = "m1";
  file["processes"] = std::move(processes_);
  file["placements"] = placements(machine_count);
  file["placement"] = "spread";
  return file;
}

std::string member(const std::string& group, std::uint64_t index, std::uint64_t count) {
  return count == 1 ? group : fmt::format("{}_{}", group, index);
}

}  // namespace dpm::validation
