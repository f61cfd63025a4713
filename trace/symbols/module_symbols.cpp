#include "trace/symbols/module_symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "trace/symbols/module_file.hpp"

namespace dpm {
namespace {

// "::h" and 16 hexadecimal digits end the mangled names of Rust; they only clutter tables.
std::string without_rust_hash(std::string name) {
  constexpr std::size_t kHash = 19;
  if (name.size() <= kHash || name.compare(name.size() - kHash, 3, "::h") != 0) return name;
  if (name.find_first_not_of("0123456789abcdef", name.size() - kHash + 3) != std::string::npos) return name;
  return name.substr(0, name.size() - kHash);
}

// The compilation unit of an address. Compilers other than GCC leave out the table of units by address
// (.debug_aranges); then the units themselves are searched.
struct Unit {
  Dwarf_Die* die = nullptr;
  Dwarf_Addr address = 0;  // as the unit counts addresses
};

Unit unit_at(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  if (Dwarf_Die* unit = ::dwfl_module_addrdie(module, address, &bias)) return {unit, address - bias};
  for (Dwarf_Die* unit = nullptr; (unit = ::dwfl_module_nextcu(module, unit, &bias)) != nullptr;)
    if (::dwarf_haspc(unit, address - bias) == 1) return {unit, address - bias};
  return {};
}

void add_line(const Unit& unit, CodeLocation& location) {
  if (unit.die == nullptr) return;
  Dwarf_Line* line = ::dwarf_getsrc_die(unit.die, unit.address);
  int number = 0;
  if (line == nullptr || ::dwarf_lineno(line, &number) != 0 || number <= 0) return;
  const char* file = ::dwarf_linesrc(line, nullptr, nullptr);
  if (file == nullptr) return;
  Dwarf_Attribute attribute;
  const char* folder =
      file[0] == '/' ? nullptr : ::dwarf_formstring(::dwarf_attr(unit.die, DW_AT_comp_dir, &attribute));
  location.source_file = folder == nullptr ? file : fmt::format("{}/{}", folder, file);
  location.line = number;
}

struct DebugFunction {
  std::string name;
  bool inlined = false;  // into the function that the symbol table knows
};

// The innermost function there: the one that the source line belongs to.
DebugFunction function_by_debug_information(const Unit& unit) {
  if (unit.die == nullptr) return {};
  Dwarf_Die* scopes = nullptr;
  const int count = ::dwarf_getscopes(unit.die, unit.address, &scopes);
  DebugFunction function;
  for (int i = 0; i < count && function.name.empty(); ++i) {
    const int tag = ::dwarf_tag(&scopes[i]);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
    Dwarf_Attribute attribute;
    const bool has_linkage_name = ::dwarf_attr_integrate(&scopes[i], DW_AT_linkage_name, &attribute) != nullptr;
    const char* text = has_linkage_name ? ::dwarf_formstring(&attribute) : ::dwarf_diename(&scopes[i]);
    if (text != nullptr) function = {demangled(text), tag == DW_TAG_inlined_subroutine};
  }
  std::free(scopes);
  return function;
}

std::string function_by_symbol(Dwfl_Module* module, Dwarf_Addr address) {
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* name = ::dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  return name == nullptr ? "" : demangled(name);
}

// The rule for the frame's end at this address, if the table has one: "stack pointer + n".
std::optional<std::uint32_t> frame_bytes_by(Dwarf_CFI* table, Dwarf_Addr address) {
  constexpr Dwarf_Word kStackPointer = 7;  // rsp's number in DWARF for x86-64
  if (table == nullptr) return std::nullopt;
  Dwarf_Frame* frame = nullptr;
  if (::dwarf_cfi_addrframe(table, address, &frame) != 0) return std::nullopt;
  std::optional<std::uint32_t> bytes;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (::dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1) {
    const Dwarf_Op& rule = operations[0];
    if (rule.atom == DW_OP_bregx && rule.number == kStackPointer) bytes = static_cast<std::uint32_t>(rule.number2);
    if (rule.atom == DW_OP_breg0 + kStackPointer) bytes = static_cast<std::uint32_t>(rule.number);
  }
  std::free(frame);
  return bytes;
}

}  // namespace

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return symbol;
  std::string name = without_rust_hash(text);
  std::free(text);
  return name;
}

struct ModuleSymbols::State {
  ModuleFile file;
  Dwfl_Module* module = nullptr;

  // Where the byte at this offset of the file is when the file is loaded.
  std::optional<Dwarf_Addr> address_of(std::uint64_t file_offset) {
    GElf_Addr bias = 0;
    Elf* elf = ::dwfl_module_getelf(module, &bias);
    std::size_t headers = 0;
    if (elf == nullptr || ::elf_getphdrnum(elf, &headers) != 0) return std::nullopt;
    for (std::size_t i = 0; i < headers; ++i) {
      GElf_Phdr header;
      if (::gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_LOAD) continue;
      if (file_offset >= header.p_offset && file_offset - header.p_offset < header.p_filesz)
        return header.p_vaddr + (file_offset - header.p_offset) + bias;
    }
    return std::nullopt;
  }
};

ModuleSymbols::ModuleSymbols(std::string path, std::unique_ptr<State> state)
    : path_(std::move(path)), state_(std::move(state)) {}
ModuleSymbols::~ModuleSymbols() = default;

std::unique_ptr<ModuleSymbols> ModuleSymbols::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (!state->file.load(path)) return nullptr;
  state->module = state->file.module();
  return std::unique_ptr<ModuleSymbols>(new ModuleSymbols(path, std::move(state)));
}

CodeLocation ModuleSymbols::find(std::uint64_t file_offset) {
  CodeLocation location;
  location.module = path_;
  location.module_offset = file_offset;
  const auto address = state_->address_of(file_offset);
  if (!address) return location;
  // Symbols have whole names, also of functions that the debug information names only by their last part.
  const Unit unit = unit_at(state_->module, *address);
  const DebugFunction known = function_by_debug_information(unit);
  if (!known.inlined) location.function = function_by_symbol(state_->module, *address);
  if (location.function.empty()) location.function = known.name;
  add_line(unit, location);
  return location;
}

std::optional<std::uint32_t> ModuleSymbols::frame_bytes(std::uint64_t file_offset) {
  const auto address = state_->address_of(file_offset);
  if (!address) return std::nullopt;
  Dwarf_Addr bias = 0;
  Dwarf_CFI* unwinding = ::dwfl_module_eh_cfi(state_->module, &bias);
  if (const auto bytes = frame_bytes_by(unwinding, *address - bias)) return bytes;
  Dwarf_CFI* debugging = ::dwfl_module_dwarf_cfi(state_->module, &bias);  // programs in Go have only this one
  return frame_bytes_by(debugging, *address - bias);
}

bool ModuleSymbols::is_entry(std::uint64_t file_offset) {
  constexpr Dwarf_Addr kEntryBytes = 64;
  const auto address = state_->address_of(file_offset);
  GElf_Addr bias = 0;
  Elf* elf = ::dwfl_module_getelf(state_->module, &bias);
  GElf_Ehdr header;
  if (!address || elf == nullptr || ::gelf_getehdr(elf, &header) == nullptr || header.e_entry == 0) return false;
  return *address - bias >= header.e_entry && *address - bias < header.e_entry + kEntryBytes;
}

bool ModuleSymbols::has_section(const std::string& name) {
  GElf_Addr bias = 0;
  Elf* elf = ::dwfl_module_getelf(state_->module, &bias);
  std::size_t names = 0;
  if (elf == nullptr || ::elf_getshdrstrndx(elf, &names) != 0) return false;
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    const char* text = ::elf_strptr(elf, names, header.sh_name);
    if (text != nullptr && name == text) return true;
  }
  return false;
}

}  // namespace dpm
