// Names of the functions of the running kernel, from /proc/kallsyms, and the wait channel of a stack.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dpm::sampling {

class KernelSymbols {
 public:
  // `text` is that of /proc/kallsyms. Addresses are all zero for an account that may not know them.
  explicit KernelSymbols(std::string_view text);

  bool know_addresses() const { return !functions_.empty(); }

  // The function in which a thread waits: the innermost that is not of the scheduler or of locks, as in /proc/PID/wchan. Empty
  // if there is none; of a wait for a page of swap the function that brings it. Valid as long as this object.
  std::string_view wait_channel(std::span<const std::uint64_t> stack);

 private:
  struct Function {
    std::uint64_t address;
    std::uint32_t name, length;  // in names_
  };
  struct Range {
    std::uint64_t begin = 0, end = 0;
    bool has(std::uint64_t address) const { return address >= begin && address < end; }
  };

  std::string_view function_at(std::uint64_t address);

  std::string names_;
  std::vector<Function> functions_;  // by address
  Range scheduler_, locks_;
  std::unordered_map<std::uint64_t, std::string_view> found_;
};

}  // namespace dpm::sampling
