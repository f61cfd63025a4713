// Gives names that have not been given before. It remembers a number for each, not the name, so that names of processes
// that have ended cost little; two names with one number only make a suffix longer than necessary.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace dpm {

class TakenNames {
 public:
  bool take(const std::string& name) { return taken_.insert(number_of(name)).second; }
  void give_back(const std::string& name) { taken_.erase(number_of(name)); }

  // Takes `base` itself or, if that is taken, the first free of "base#2", "base#3", ...
  std::string take_numbered(const std::string& base) {
    std::uint32_t& next = next_[number_of(base)];
    for (next = next == 0 ? 2 : next;; ++next) {
      std::string name = base + "#" + std::to_string(next);
      if (take(name)) return name;
    }
  }

 private:
  static std::uint64_t number_of(const std::string& name) { return std::hash<std::string>{}(name); }

  std::unordered_set<std::uint64_t> taken_;
  std::unordered_map<std::uint64_t, std::uint32_t> next_;  // by base: numbers below are taken
};

}  // namespace dpm
