// The functions, source lines and stack frames of one program or library file (ELF, DWARF), read at the first lookup.
//
// Debug information may be in the file itself or where the system keeps it separately (/usr/lib/debug, by build id).
// The file is read as it is now: if it was replaced after the program ran, the names are those of the replacement.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trace/symbols/code_location.hpp"

namespace dpm {

class ModuleSymbols {
 public:
  // Empty if the file cannot be read, or is not a regular ELF file: its path may come from an untrusted trace.
  static std::unique_ptr<ModuleSymbols> open(const std::string& path);
  ~ModuleSymbols();

  // The location of the byte at this offset of the file.
  CodeLocation find(std::uint64_t file_offset);

  // How far above the stack pointer, at the instruction at this offset, the frame of its function ends; its last word
  // is the address it returns to. Empty if that is not known, or not a plain number.
  std::optional<std::uint32_t> frame_bytes(std::uint64_t file_offset);

  // Whether the offset is within the first instructions that a program executes, which only call its start-up code.
  bool is_entry(std::uint64_t file_offset);

  bool has_section(const std::string& name);

 private:
  struct State;
  ModuleSymbols(std::string path, std::unique_ptr<State> state);
  std::string path_;
  std::unique_ptr<State> state_;
};

// "dpm::Clock::now() const" for "_ZNK3dpm5Clock3nowEv"; a name that is not mangled stays unchanged.
std::string demangled(const std::string& symbol);

}  // namespace dpm
