// The functions, source lines and stack frames of one program or library file (ELF, DWARF), read when first asked for.
//
// Debug information may stand in the file itself or where the system keeps it apart (/usr/lib/debug, by build id). The
// file is read as it is now: if it was replaced after the program ran, so were the names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "symbols/place.hpp"

namespace dpm {

class ModuleSymbols {
 public:
  // Nothing if the file cannot be read, or is no regular ELF file: its path may come from somebody else's trace.
  static std::unique_ptr<ModuleSymbols> open(const std::string& path);
  ~ModuleSymbols();

  // The place of the byte at this offset of the file.
  Place find(std::uint64_t file_offset);

  // How far above the stack pointer, at the instruction at this offset, the frame of its function ends; its last word
  // is the address it returns to. Nothing if that is not known, or not a plain number.
  std::optional<std::uint32_t> frame_bytes(std::uint64_t file_offset);

  // Within the first instructions that a program executes, which call no more than its start-up code.
  bool is_entry(std::uint64_t file_offset);

  bool has_section(const std::string& name);

 private:
  struct State;
  ModuleSymbols(std::string path, std::unique_ptr<State> state);
  std::string path_;
  std::unique_ptr<State> state_;
};

// "dpm::Clock::now() const" for "_ZNK3dpm5Clock3nowEv"; what is not mangled stays as it is.
std::string demangled(const std::string& symbol);

}  // namespace dpm
