#include "trace/symbols/function_table.hpp"

#include <elfutils/libdwfl.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trace/symbols/module_file.hpp"
#include "trace/symbols/module_symbols.hpp"

namespace dpm {
namespace {

struct Symbol {
  Dwarf_Addr start = 0, end = 0;  // end: start, if the file does not say how long it is
  bool is_local = false;
  const char* name = nullptr;  // in the file's own table
};

struct Segment {
  std::uint64_t file_offset = 0, bytes = 0;
  Dwarf_Addr address = 0;
};

}  // namespace

struct FunctionTable::State {
  ModuleFile file;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;  // by start

  void read_segments() {
    GElf_Addr bias = 0;
    Elf* elf = ::dwfl_module_getelf(file.module(), &bias);
    std::size_t headers = 0;
    if (elf == nullptr || ::elf_getphdrnum(elf, &headers) != 0) return;
    for (std::size_t i = 0; i < headers; ++i) {
      GElf_Phdr header;
      if (::gelf_getphdr(elf, static_cast<int>(i), &header) != nullptr && header.p_type == PT_LOAD)
        segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr + bias});
    }
  }

  void read_symbols() {
    const int count = ::dwfl_module_getsymtab(file.module());
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr start = 0;
      GElf_Word section = 0;
      const char* name = ::dwfl_module_getsym_info(file.module(), i, &symbol, &start, &section, nullptr, nullptr);
      const auto type = GELF_ST_TYPE(symbol.st_info);
      if (name == nullptr || *name == '\0' || section == SHN_UNDEF) continue;
      if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
      const Dwarf_Addr end = symbol.st_size > UINT64_MAX - start ? UINT64_MAX : start + symbol.st_size;
      symbols.push_back({start, end, GELF_ST_BIND(symbol.st_info) == STB_LOCAL, name});
    }
    // Of several names for one function the last in this order is found: the longest, and a name for others rather than a local one.
    std::stable_sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
      return std::tuple(a.start, a.end, !a.is_local) < std::tuple(b.start, b.end, !b.is_local);
    });
  }

  std::optional<Dwarf_Addr> address_of(std::uint64_t file_offset) const {
    for (const Segment& segment : segments)
      if (file_offset >= segment.file_offset && file_offset - segment.file_offset < segment.bytes)
        return segment.address + (file_offset - segment.file_offset);
    return std::nullopt;
  }
};

FunctionTable::FunctionTable(std::unique_ptr<State> state) : state_(std::move(state)) {}
FunctionTable::~FunctionTable() = default;

std::unique_ptr<FunctionTable> FunctionTable::open(const std::string& path) {
  auto state = std::make_unique<State>();
  if (!state->file.load(path)) return nullptr;
  state->read_segments();
  state->read_symbols();
  return std::unique_ptr<FunctionTable>(new FunctionTable(std::move(state)));
}

std::string FunctionTable::find(std::uint64_t file_offset) const {
  const auto address = state_->address_of(file_offset);
  if (!address) return "";
  const auto& symbols = state_->symbols;
  const auto after = std::upper_bound(symbols.begin(), symbols.end(), *address,
                                      [](Dwarf_Addr wanted, const Symbol& symbol) { return wanted < symbol.start; });
  if (after == symbols.begin()) return "";
  const Symbol& symbol = *std::prev(after);
  const bool reaches = *address < symbol.end || symbol.start == symbol.end;
  return reaches ? demangled(symbol.name) : "";
}

}  // namespace dpm
