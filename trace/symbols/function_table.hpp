// The functions of one ELF file by address, from its symbol tables alone: cheap for many addresses.
//
// A function that the compiler put into another counts as that other. Symbols may be in the file itself or where the system keeps them
// separately (/usr/lib/debug, by build id).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace dpm {

class FunctionTable {
 public:
  // Empty if the file cannot be read, or is not a regular ELF file.
  static std::unique_ptr<FunctionTable> open(const std::string& path);
  ~FunctionTable();

  // The function of the byte at this offset of the file, demangled; "" if no symbol covers it.
  std::string find(std::uint64_t file_offset) const;

 private:
  struct State;
  explicit FunctionTable(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
