// Gives names that were not given before. It remembers a number for each, not the name, so that names of processes that
// are gone cost little; two names with one number only make a suffix longer than it had to be.
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

  // `base` itself is taken: "base#2", or the next that is free.
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
