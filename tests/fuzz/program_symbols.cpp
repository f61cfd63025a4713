// links: dpm_symbols
// A program's file is what its author made of it: symbols, debug information (DWARF) and notes of static tracepoints (USDT) of any bytes
// are read without a fault, and what is found can be asked about.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/check.hpp"
#include "trace/symbols/function_table.hpp"
#include "trace/symbols/module_functions.hpp"
#include "trace/symbols/module_symbols.hpp"

namespace {

constexpr std::size_t kAsked = 20;  // names of a file

class FileInMemory {
 public:
  FileInMemory(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    DPM_CHECK(descriptor_ >= 0 && ::write(descriptor_, data, size) == static_cast<ssize_t>(size));
  }
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  ~FileInMemory() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void ask(dpm::ModuleFunctions& functions) {
  const auto names = functions.names();
  for (std::size_t i = 0; i < std::min(names.size(), kAsked); ++i) {
    DPM_CHECK(!functions.find(names[i]).empty());
    functions.inlined(names[i]);
    for (const dpm::FunctionEntry& entry : functions.find(names[i]))
      for (const dpm::FunctionArgument& argument :
           functions.arguments(entry.file_offset).value_or(std::vector<dpm::FunctionArgument>()))
        DPM_CHECK(argument.place >= 0 && argument.place <= 6 && argument.bits > 0 && argument.bits <= 64);
  }
  for (const std::string& tracepoint : functions.tracepoints()) DPM_CHECK(tracepoint.find(':') != std::string::npos);
  DPM_CHECK(functions.find("").empty());
  functions.has_section(".note.dpm");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const FileInMemory file(data, size);
  const auto functions = dpm::ModuleFunctions::open(file.path());
  if (!functions) return 0;
  ask(*functions);
  const auto symbols = dpm::ModuleSymbols::open(file.path());
  const auto table = dpm::FunctionTable::open(file.path());
  DPM_CHECK(symbols != nullptr && table != nullptr);
  for (std::uint64_t offset = 0; offset < size; offset += size / kAsked + 1) {
    symbols->find(offset);
    symbols->frame_bytes(offset);
    symbols->is_entry(offset);
    table->find(offset);
  }
  return 0;
}
