#include "symbols/module_symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <utility>

namespace dpm {
namespace {

// "::h" and 16 hexadecimal digits end the mangled names of Rust; nobody wants to read them.
std::string without_rust_hash(std::string name) {
  constexpr std::size_t kHash = 19;
  if (name.size() <= kHash || name.compare(name.size() - kHash, 3, "::h") != 0) return name;
  if (name.find_first_not_of("0123456789abcdef", name.size() - kHash + 3) != std::string::npos) return name;
  return name.substr(0, name.size() - kHash);
}

// A regular file's descriptor: a path in a trace may name a pipe that nobody writes to.
int open_regular(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  struct stat status {};
  if (fd >= 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

struct DebugFunction {
  std::string name;
  bool inlined = false;  // into the function that the symbol table knows
};

// The innermost function there: the one that the source line belongs to.
DebugFunction function_by_debug_information(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = ::dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return {};
  Dwarf_Die* scopes = nullptr;
  const int count = ::dwarf_getscopes(unit, address - bias, &scopes);
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

void add_line(Dwfl_Module* module, Dwarf_Addr address, Place& place) {
  Dwfl_Line* line = ::dwfl_module_getsrc(module, address);
  if (line == nullptr) return;
  int number = 0;
  const char* file = ::dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  if (file == nullptr || number <= 0) return;
  const char* folder = file[0] == '/' ? nullptr : ::dwfl_line_comp_dir(line);
  place.source_file = folder == nullptr ? file : std::string(folder) + "/" + file;
  place.line = number;
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
  Dwfl_Callbacks callbacks = {::dwfl_build_id_find_elf, ::dwfl_standard_find_debuginfo, ::dwfl_offline_section_address,
                              nullptr};
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;

  ~State() {
    if (session != nullptr) ::dwfl_end(session);
  }

  bool load(const std::string& path) {
    const int fd = open_regular(path);
    if (fd < 0) return false;
    session = ::dwfl_begin(&callbacks);
    if (session != nullptr) {
      ::dwfl_report_begin(session);
      module = ::dwfl_report_offline(session, path.c_str(), path.c_str(), fd);  // which takes the descriptor
      ::dwfl_report_end(session, nullptr, nullptr);
    }
    if (module == nullptr) ::close(fd);
    return module != nullptr;
  }

  // Where the byte at this offset of the file lies when the file is loaded.
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
  if (!state->load(path)) return nullptr;
  return std::unique_ptr<ModuleSymbols>(new ModuleSymbols(path, std::move(state)));
}

Place ModuleSymbols::find(std::uint64_t file_offset) {
  Place place;
  place.module = path_;
  place.module_offset = file_offset;
  const auto address = state_->address_of(file_offset);
  if (!address) return place;
  // Symbols carry whole names, also of functions that the debug information names by their last part only.
  const DebugFunction known = function_by_debug_information(state_->module, *address);
  if (!known.inlined) place.function = function_by_symbol(state_->module, *address);
  if (place.function.empty()) place.function = known.name;
  add_line(state_->module, *address, place);
  return place;
}

}  // namespace dpm
