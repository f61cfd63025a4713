// The functions of one program or library file by name, where they begin, and what they are given, for stopping at a
// function. Static tracepoints (USDT, the notes of section .note.stapsdt) by name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dpm {

// A function's argument in a register for whole numbers, as the System V ABI passes it.
struct FunctionArgument {
  std::string name;
  int place = 0;  // from 1 (rdi) to 6 (r9); 0: it is not in such a register
  unsigned bits = 64;
  bool is_signed = true;
};

struct FunctionEntry {
  std::string symbol;
  std::uint64_t file_offset = 0;
  // A copy that the compiler made for some calls (name.constprop.0, name.isra.0): its arguments may be others.
  bool is_copy = false;
  // The symbol is that of a resolver, which chooses the function when the program is loaded (IFUNC).
  bool is_resolver = false;
};

class ModuleFunctions {
 public:
  // Empty if the file cannot be read, or is not a regular ELF file.
  static std::unique_ptr<ModuleFunctions> open(const std::string& path);
  ~ModuleFunctions();

  // Those with this name: as the symbol table has it, or demangled without arguments.
  std::span<const FunctionEntry> find(const std::string& name) const;
  std::vector<std::string> names() const;

  // At how many places the compiler has put the function's code in place of a call; 0 without debug information.
  std::size_t inlined(const std::string& name);
  // What the function that begins there is given; empty without debug information.
  std::optional<std::vector<FunctionArgument>> arguments(std::uint64_t file_offset);

  // "provider:name".
  const std::vector<std::string>& tracepoints() const;
  // Names of the libraries that are loaded with it (DT_NEEDED), and where they are looked for first (DT_RUNPATH).
  const std::vector<std::string>& libraries() const;
  const std::string& library_path() const;
  bool has_section(const std::string& name) const;

 private:
  struct State;
  explicit ModuleFunctions(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// "a::f" for "int a::f<int>(char) const": without what a script cannot write.
std::string name_without_arguments(const std::string& demangled);

}  // namespace dpm
