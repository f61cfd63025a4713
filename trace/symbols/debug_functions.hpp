// What debug information (DWARF) says of a module's functions: their arguments, and where they were inlined. Read once.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trace/symbols/module_functions.hpp"

namespace dpm {

class DebugFunctions {
 public:
  explicit DebugFunctions(Dwfl_Module* module);

  std::size_t inlined(const std::string& name) const;
  // Of the function whose first address fits.
  std::optional<std::vector<FunctionArgument>> arguments(const std::function<bool(std::uint64_t address)>& is_it) const;

 private:
  void look_at(Dwarf_Die* die, Dwarf_Addr bias, int depth);

  std::map<std::string, std::size_t> inlined_;
  std::map<std::uint64_t, std::vector<FunctionArgument>> functions_;  // by first address
};

}  // namespace dpm
