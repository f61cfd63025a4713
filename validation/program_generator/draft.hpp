// A random program while it is being drawn: its draws, its programs and processes. The families (families.hpp) fill it.
#pragma once

#include <cstdint>
#include <string>

#include "model/random.hpp"
#include "validation/program_generator/steps.hpp"

namespace dpm::validation {

class Draft {
 public:
  // `stream` names the random stream, so that two generators draw different systems from one seed.
  explicit Draft(std::uint64_t seed, const char* stream = "random program");

  // ---- draws

  std::uint64_t between(std::uint64_t low, std::uint64_t high) { return low + random_.below(high - low + 1); }
  bool chance(double probability) { return random_.chance(probability); }
  double uniform(double low, double high);  // rounded, so that scenario files can be read
  const char* one_of(std::initializer_list<const char*> words);

  // A CPU time: a constant, or a distribution around this multiple of the program's time scale.
  Json time(double scale);
  Json constant_time(double scale);
  Json bytes();  // of a message, never too short to carry a request

  // ---- parts

  // Adds `count` processes with this program (name and name of the group alike); a single process has the name of its
  // group. `program` has "start" and "on". Programs that handle messages react to the message alone, or not.
  void add(const std::string& name, std::uint64_t count, Json program);
  void add_of_program(const std::string& name, std::uint64_t count, const std::string& program);
  void add_program(const std::string& name, Json program);

  // How often the machines have different speeds.
  void set_machines_differ(double probability) { machines_differ_ = probability; }

  void say(const std::string& what);  // of the variant
  const std::string& variant() const { return variant_; }

  // The whole scenario file, with machines, delays and placements drawn last.
  Json finish(const std::string& name);

 private:
  Json delays();
  Json delay_class(double base_s);
  Json machines(std::uint64_t count);
  Json placements(std::uint64_t machines);

  std::uint64_t seed_;
  Random random_;
  double scale_s_;
  double machines_differ_ = .3;
  Json programs_ = Json::object();
  Json processes_ = Json::array();
  std::vector<std::string> names_;  // of all processes
  std::string variant_;
};

// "worker_3"; a group of one has no numbers.
std::string member(const std::string& group, std::uint64_t index, std::uint64_t count);

}  // namespace dpm::validation
