// The place in a program that made a call. The system call instruction is in the C library, and a table of hot spots
// that shows "write" tells nothing; so this walks the stack up to the program's own code:
//
//     stack pointer ─► write()            libc     frame sizes come from the file's unwinding tables,
//                      _IO_file_write()   libc     looked up once for each address
//                      fflush()           libc
//                      report_result()    server   ◄── the first frame of the program's own file
//                      main()             server
//
// Costs 5 to 6 us a call: the stack pointer is read from /proc/PID/task/TID/syscall, the stack with one
// process_vm_readv(2). Go programs contain their standard library in their own file; the walk passes over it by its
// packages' names. A frame whose size is not a constant number of bytes (it keeps a frame pointer, or has arrays of
// variable size) ends the walk; the place is then the outermost one known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "os/kernel/process_files.hpp"
#include "trace/symbols/module_symbols.hpp"

namespace dpm {

class CallerFinder {
 public:
  // The address to which the place's call returns: the first in the program's own file; without one, the first outside
  // of the C library; without one, `pc`.
  std::uint64_t find(std::uint32_t pid, std::uint32_t tid, std::uint64_t pc, std::uint64_t stack_pointer);

  // The process runs another program now, or has ended.
  void forget(std::uint32_t pid) { processes_.erase(pid); }

 private:
  enum class Kind : std::uint8_t { own, c_library, other };

  struct Frame {
    std::optional<std::uint32_t> bytes;
    bool is_entry = false;    // below it there is nothing
    bool is_library = false;  // of a library that is linked into the program
  };

  struct File {
    std::unique_ptr<ModuleSymbols> symbols;  // null: cannot be read
    bool is_go = false;
    std::unordered_map<std::uint64_t, Frame> frames;  // by offset in the file
  };

  struct Region {
    std::uint64_t start = 0, end = 0, file_offset = 0;
    Kind kind = Kind::other;
    File* file = nullptr;
  };

  struct Process {
    std::vector<Region> regions;
    int looks = 0;  // how often its map was read
  };

  const Region* region_at(std::uint32_t pid, std::uint64_t address);
  void read_regions(std::uint32_t pid, Process& process);
  File& file_at(const std::string& path);
  Frame frame_at(const Region& region, std::uint64_t address);

  std::unordered_map<std::uint32_t, Process> processes_;
  std::map<std::string, File> files_;
};

}  // namespace dpm
