#include "trace/symbols/module_functions.hpp"

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "trace/symbols/debug_functions.hpp"
#include "trace/symbols/module_file.hpp"
#include "trace/symbols/module_symbols.hpp"

namespace dpm {
namespace {

constexpr int kIndirectFunction = 10;  // STT_GNU_IFUNC

std::optional<std::uint64_t> offset_of(Elf* elf, GElf_Addr address) {
  std::size_t headers = 0;
  if (::elf_getphdrnum(elf, &headers) != 0) return std::nullopt;
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (::gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_LOAD) continue;
    if (address >= header.p_vaddr && address - header.p_vaddr < header.p_filesz)
      return header.p_offset + (address - header.p_vaddr);
  }
  return std::nullopt;
}

Elf_Scn* section_of(Elf* elf, const std::string& name, GElf_Shdr& header) {
  std::size_t names = 0;
  if (::elf_getshdrstrndx(elf, &names) != 0) return nullptr;
  for (Elf_Scn* section = nullptr; (section = ::elf_nextscn(elf, section)) != nullptr;) {
    const char* text = ::gelf_getshdr(section, &header) == nullptr ? nullptr : ::elf_strptr(elf, names, header.sh_name);
    if (text != nullptr && name == text) return section;
  }
  return nullptr;
}

// A note's description: three addresses, then provider, name and arguments, each with a zero at its end.
std::string tracepoint_of(const char* description, std::size_t bytes) {
  constexpr std::size_t kAddresses = 3 * sizeof(std::uint64_t);
  if (bytes <= kAddresses) return "";
  const char* const end = description + bytes;
  const char* const provider = description + kAddresses;
  const char* const name = std::find(provider, end, '\0');
  if (name == end) return "";
  const char* const after = std::find(name + 1, end, '\0');
  if (after == end) return "";
  return std::string(provider, name) + ":" + std::string(name + 1, after);
}

std::vector<std::string> tracepoints_of(Elf* elf) {
  GElf_Shdr header;
  Elf_Scn* const section = section_of(elf, ".note.stapsdt", header);
  Elf_Data* const data = section == nullptr ? nullptr : ::elf_getdata(section, nullptr);
  std::set<std::string> names;
  if (data == nullptr || data->d_buf == nullptr) return {};
  GElf_Nhdr note;
  std::size_t name = 0, description = 0;
  for (std::size_t at = 0; (at = ::gelf_getnote(data, at, &note, &name, &description)) > 0;)
    names.insert(tracepoint_of(static_cast<const char*>(data->d_buf) + description, note.n_descsz));
  names.erase("");
  return {names.begin(), names.end()};
}

}  // namespace

std::string name_without_arguments(const std::string& demangled) {
  std::size_t end = demangled.rfind(')');
  if (end == std::string::npos) return demangled;
  int depth = 1;
  while (depth > 0 && end > 0) {
    --end;
    if (demangled[end] == ')') ++depth;
    if (demangled[end] == '(') --depth;
  }
  std::string name;
  for (const char letter : demangled.substr(0, end)) {
    if (letter == '<') ++depth;
    if (depth == 0) name += letter;
    if (letter == '>') --depth;
  }
  return name.substr(name.rfind(' ') + 1);
}

struct ModuleFunctions::State {
  ModuleFile file;
  std::map<std::string, std::vector<FunctionEntry>> functions;
  std::vector<std::string> tracepoints, libraries;
  std::string library_path;
  std::optional<DebugFunctions> debug;

  Elf* elf() const {
    GElf_Addr bias = 0;
    return ::dwfl_module_getelf(file.module(), &bias);
  }

  void read_symbols() {
    const int count = ::dwfl_module_getsymtab(file.module());
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0, bias = 0;
      GElf_Word section = 0;
      Elf* from = nullptr;
      const char* name = ::dwfl_module_getsym_info(file.module(), i, &symbol, &address, &section, &from, &bias);
      const int type = GELF_ST_TYPE(symbol.st_info);
      if (name == nullptr || *name == '\0' || section == SHN_UNDEF) continue;
      if (type != STT_FUNC && type != kIndirectFunction) continue;
      // In a separate file of symbols the segments have no contents: the program's own tell the offset.
      GElf_Addr main_bias = 0;
      Elf* main = ::dwfl_module_getelf(file.module(), &main_bias);
      if (const auto offset = offset_of(main, address - main_bias)) add(name, *offset, type == kIndirectFunction);
    }
  }

  void add(const std::string& symbol, std::uint64_t offset, bool is_resolver) {
    std::string base = symbol.substr(0, symbol.find_first_of(".@"));
    const bool is_copy = symbol.size() > base.size() && symbol[base.size()] == '.';
    // Parts of a function are not entered by calls.
    if (is_copy && (symbol.find(".cold") != std::string::npos || symbol.find(".part.") != std::string::npos)) return;
    if (base.empty()) return;
    const FunctionEntry entry{symbol, offset, is_copy, is_resolver};
    const auto add_as = [&](const std::string& name) {
      auto& entries = functions[name];
      if (std::ranges::none_of(entries, [&](const FunctionEntry& other) { return other.file_offset == offset; }))
        entries.push_back(entry);
    };
    add_as(base);
    const std::string readable = name_without_arguments(demangled(base));
    if (!readable.empty() && readable != base) add_as(readable);
  }

  void read_dynamic() {
    GElf_Shdr header;
    Elf_Scn* const section = section_of(elf(), ".dynamic", header);
    Elf_Data* const data = section == nullptr ? nullptr : ::elf_getdata(section, nullptr);
    if (data == nullptr) return;
    GElf_Dyn entry;
    for (int i = 0; ::gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
      const char* text = ::elf_strptr(elf(), header.sh_link, entry.d_un.d_val);
      if (text == nullptr) continue;
      if (entry.d_tag == DT_NEEDED) libraries.emplace_back(text);
      if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH) library_path = text;
    }
  }

  DebugFunctions& debug_functions() {
    if (!debug) debug.emplace(file.module());
    return *debug;
  }
};

ModuleFunctions::ModuleFunctions(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModuleFunctions::~ModuleFunctions() = default;

std::unique_ptr<ModuleFunctions> ModuleFunctions::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (!state->file.load(path) || state->elf() == nullptr) return nullptr;
  state->read_symbols();
  state->read_dynamic();
  state->tracepoints = tracepoints_of(state->elf());
  return std::unique_ptr<ModuleFunctions>(new ModuleFunctions(std::move(state)));
}

std::span<const FunctionEntry> ModuleFunctions::find(const std::string& name) const {
  const auto found = state_->functions.find(name);
  if (found == state_->functions.end()) return {};
  return found->second;
}

std::vector<std::string> ModuleFunctions::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entries] : state_->functions) names.push_back(name);
  return names;
}

std::size_t ModuleFunctions::inlined(const std::string& name) {
  const std::size_t colons = name.rfind("::");
  return state_->debug_functions().inlined(colons == std::string::npos ? name : name.substr(colons + 2));
}

std::optional<std::vector<FunctionArgument>> ModuleFunctions::arguments(std::uint64_t file_offset) {
  return state_->debug_functions().arguments([&](std::uint64_t address) {
    GElf_Addr bias = 0;
    Elf* const elf = ::dwfl_module_getelf(state_->file.module(), &bias);
    return offset_of(elf, address - bias) == file_offset;
  });
}

const std::vector<std::string>& ModuleFunctions::tracepoints() const { return state_->tracepoints; }
const std::vector<std::string>& ModuleFunctions::libraries() const { return state_->libraries; }
const std::string& ModuleFunctions::library_path() const { return state_->library_path; }

bool ModuleFunctions::has_section(const std::string& name) const {
  GElf_Shdr header;
  return section_of(state_->elf(), name, header) != nullptr;
}

}  // namespace dpm
