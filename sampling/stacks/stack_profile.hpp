// How often each call stack was found, by program: the sum of what the kernel reports (os/kernel/stack_records.hpp).
//
// Addresses become places in files while the process still has its mappings; names come later (named_stacks.hpp). A process that
// begins has its parent's mappings and name until it executes a program.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "os/kernel/stack_records.hpp"

namespace dpm::sampling {

// A place in a file of code. What is in no file (code that a program made while it ran) keeps its address.
struct CodePlace {
  static constexpr std::uint32_t kNoFile = UINT32_MAX;
  std::uint32_t file = kNoFile;  // an index of StackProfile::files()
  std::uint64_t offset = 0;

  friend auto operator<=>(const CodePlace&, const CodePlace&) = default;
};

struct CodeFile {
  std::string path;  // as the process knows it: "/usr/bin/cc1", "[vdso]"
  std::uint64_t inode = 0;

  friend auto operator<=>(const CodeFile&, const CodeFile&) = default;
};

// What is missing, or may be.
struct StackLosses {
  std::uint64_t lost_records = 0, damaged_records = 0, throttled = 0;
  std::uint64_t full_rings = 0;  // after which it is not known yet whether records were lost
  std::uint64_t cut = 0;         // stacks that go on beyond the frames that the kernel follows
  std::uint64_t not_followed =
      0;  // processes whose stacks the kernel did not allow, or for which there were no descriptors
};

class StackProfile {
 public:
  struct Stack {
    std::uint32_t program = 0;      // an index of programs()
    std::vector<CodePlace> places;  // the one that ran, then the calls that led there

    friend auto operator<=>(const Stack&, const Stack&) = default;
  };

  // In the order of their times.
  void add(const StackRecord& record);

  const std::vector<std::string>& programs() const { return programs_; }
  // Only those in which something was found.
  const std::vector<CodeFile>& files() const { return files_; }
  const std::map<Stack, std::uint64_t>& counts() const { return counts_; }
  // The counts so far, which are then none.
  std::map<Stack, std::uint64_t> take_counts() { return std::exchange(counts_, {}); }
  StackLosses& losses() { return losses_; }
  const StackLosses& losses() const { return losses_; }
  std::size_t processes() const { return processes_.size(); }

 private:
  struct Mapping {
    std::uint64_t end = 0, file_offset = 0;
    CodeFile file;
  };
  struct Process {
    std::string name;
    std::map<std::uint64_t, Mapping> mappings;  // by start; they do not overlap
    std::uint32_t threads = 0;
  };

  void begin(const StackRecord& record);
  void end(const StackRecord& record);
  void map(Process& process, const StackRecord& record);
  void count(const StackRecord& record);
  CodePlace place_of(const Process& process, std::uint64_t address);

  std::map<std::uint32_t, Process> processes_;  // by pid
  std::vector<std::string> programs_;
  std::map<std::string, std::uint32_t> program_numbers_;
  std::vector<CodeFile> files_;
  std::map<CodeFile, std::uint32_t> file_numbers_;
  std::map<Stack, std::uint64_t> counts_;
  StackLosses losses_;
};

}  // namespace dpm::sampling
