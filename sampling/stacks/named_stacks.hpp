// Call stacks with functions instead of addresses, their shares of the CPU time, and what is missing.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/share.hpp"
#include "sampling/stacks/stack_profile.hpp"

namespace dpm::sampling {

struct CodeFunction {
  std::string name;  // demangled; "[libc.so.6]" for one of a file without a name, "[unknown]" of no file
  std::string file;  // "libc.so.6"; empty if it is in no file
  bool is_named = false;

  friend auto operator<=>(const CodeFunction&, const CodeFunction&) = default;
};

class NamedStacks {
 public:
  struct Stack {
    std::uint32_t program = 0;             // an index of programs
    std::vector<std::uint32_t> functions;  // indexes of functions; the outermost call first

    friend auto operator<=>(const Stack&, const Stack&) = default;
  };

  struct FunctionTime {
    std::uint32_t function = 0;
    Share self, total;  // of all stacks: it ran itself; it or something that it called ran
  };
  // By the time that they ran themselves, then by the total.
  std::vector<FunctionTime> by_time() const;

  struct ProgramStacks {
    std::uint32_t program = 0;
    std::uint64_t stacks = 0;
    // That end at the function that ran, or at an address in no file: they do not reach the beginning of the program or thread. Not those
    // whose function is in no file itself.
    std::uint64_t broken = 0;

    // Most are: its code was compiled without frame pointers.
    bool lacks_frame_pointers() const;
  };
  std::vector<ProgramStacks> by_program() const;  // those with the most stacks first

  struct FileFrames {
    std::string file;  // "": of no file
    std::uint64_t frames = 0;
  };
  std::vector<FileFrames> unnamed_frames() const;  // the most first

  std::uint64_t stacks() const;
  std::uint64_t frames() const;

  std::vector<std::string> programs;
  std::vector<CodeFunction> functions;
  std::map<Stack, std::uint64_t> counts;
  StackLosses losses;
  std::uint64_t interval_ns = 0;  // of CPU time between two stacks of a thread
  std::uint64_t cpu_ns = 0;       // exact: of all threads, with the time in the kernel, which has no stack
};

// The name of the function at a place of a file; "" if it has none.
using FindFunction = std::function<std::string(const CodePlace& place)>;

// Takes the counts of the profile, and adds them by function.
class StackNaming {
 public:
  void take(StackProfile& profile, const FindFunction& find);
  NamedStacks finish(const StackProfile& profile) &&;

 private:
  std::uint32_t function_at(const CodePlace& place, const StackProfile& profile, const FindFunction& find);

  std::map<CodePlace, std::uint32_t> at_place_;
  std::map<CodeFunction, std::uint32_t> numbers_;
  NamedStacks named_;
};

}  // namespace dpm::sampling
