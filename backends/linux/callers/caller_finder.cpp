#include "backends/linux/callers/caller_finder.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

constexpr int kFramesMax = 32;
constexpr int kLooksMax = 64;
constexpr std::uint64_t kAddressBytes = sizeof(std::uint64_t);

bool is_c_library(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  constexpr std::array kNames = {"libc.so", "libc-", "libc.musl", "libpthread", "ld-linux", "ld-musl"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* beginning) { return name.starts_with(beginning); });
}

// The first part of the path of each package of Go's standard library that comes between a program and its calls.
bool is_go_library(const std::string& function) {
  constexpr std::array kPackages = {"bufio", "bytes",   "compress", "crypto", "encoding", "fmt",     "internal",
                                    "io",    "log",     "net",      "os",     "reflect",  "runtime", "strings",
                                    "sync",  "syscall", "text",     "time",   "vendor"};
  const std::string first = function.substr(0, function.find_first_of("./"));
  return std::any_of(kPackages.begin(), kPackages.end(), [&](const char* package) { return first == package; });
}

// A window of a thread's stack, read when first needed and moved up as the walk goes on.
class StackWindow {
 public:
  explicit StackWindow(std::uint32_t tid) : tid_(tid) {}

  std::optional<std::uint64_t> word_at(std::uint64_t address) {
    if (address < begin_ || address + kAddressBytes > begin_ + length_) {
      if (reads_++ == kReadsMax) return std::nullopt;
      begin_ = address;
      length_ = read_memory(tid_, address, bytes_);
    }
    if (address + kAddressBytes > begin_ + length_) return std::nullopt;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data() + (address - begin_), sizeof word);
    return word;
  }

 private:
  static constexpr int kReadsMax = 4;
  std::uint32_t tid_;
  std::uint64_t begin_ = 0, length_ = 0;
  int reads_ = 0;
  std::array<std::byte, 4096> bytes_;
};

}  // namespace

CallerFinder::File& CallerFinder::file_at(const std::string& path) {
  if (const auto known = files_.find(path); known != files_.end()) return known->second;
  File& file = files_[path];
  file.symbols = ModuleSymbols::open(path);
  file.is_go = file.symbols != nullptr && file.symbols->has_section(".gopclntab");
  return file;
}

void CallerFinder::read_regions(std::uint32_t pid, Process& process) {
  process.regions.clear();
  const std::string own = read_program_path(pid);
  for (const auto& region : code_regions(pid)) {
    const Kind kind = region.path == own ? Kind::own : is_c_library(region.path) ? Kind::c_library : Kind::other;
    process.regions.push_back({region.start, region.end, region.file_offset, kind, &file_at(region.path)});
  }
}

const CallerFinder::Region* CallerFinder::region_at(std::uint32_t pid, std::uint64_t address) {
  Process& process = processes_[pid];
  const auto holds = [address](const Region& region) { return address >= region.start && address < region.end; };
  const auto look = [&]() -> const Region* {
    const auto found = std::find_if(process.regions.begin(), process.regions.end(), holds);
    return found == process.regions.end() ? nullptr : &*found;
  };
  const Region* found = look();
  // A library may have been loaded meanwhile.
  if (found != nullptr || process.looks++ >= kLooksMax) return found;
  read_regions(pid, process);
  return look();
}

CallerFinder::Frame CallerFinder::frame_at(const Region& region, std::uint64_t address) {
  if (region.file->symbols == nullptr) return {};
  const std::uint64_t offset = address - region.start + region.file_offset;
  const auto known = region.file->frames.find(offset);
  if (known != region.file->frames.end()) return known->second;
  ModuleSymbols& symbols = *region.file->symbols;
  return region.file->frames[offset] = {symbols.frame_bytes(offset), symbols.is_entry(offset),
                                        region.file->is_go && is_go_library(symbols.find(offset).function)};
}

std::uint64_t CallerFinder::find(std::uint32_t pid, std::uint32_t tid, std::uint64_t pc, std::uint64_t stack_pointer) {
  StackWindow stack(tid);
  std::optional<std::uint64_t> outside_c_library, caller;
  std::uint64_t address = pc;  // of an instruction of the frame's function
  for (int depth = 0; depth < kFramesMax; ++depth) {
    const Region* region = region_at(pid, address);
    if (region == nullptr) break;
    const Frame frame = frame_at(*region, address);
    if (frame.is_entry) break;
    if (depth > 0) {
      const std::uint64_t returns_to = address + 1;
      if (!caller) caller = returns_to;
      if (region->kind == Kind::own && !frame.is_library) return returns_to;
      if (region->kind != Kind::c_library && !outside_c_library) outside_c_library = returns_to;
    }
    if (!frame.bytes || *frame.bytes < kAddressBytes) break;
    stack_pointer += *frame.bytes;
    const auto returns_to = stack.word_at(stack_pointer - kAddressBytes);
    if (!returns_to || *returns_to == 0) break;
    address = *returns_to - 1;  // within the call itself: the next instruction may be another function's
  }
  if (outside_c_library) return *outside_c_library;
  return caller.value_or(pc);
}

}  // namespace dpm
