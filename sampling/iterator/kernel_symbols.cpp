#include "sampling/iterator/kernel_symbols.hpp"

#include <algorithm>
#include <charconv>

#include "sampling/states/swap_in.hpp"

namespace dpm::sampling {

// A line is "ffffffff81000000 T _stext", with "\t[module]" behind functions of modules. t and T are functions.
KernelSymbols::KernelSymbols(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    Function function = {};
    const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), function.address, 16);
    line.remove_prefix(static_cast<std::size_t>(rest - line.data()));
    if (error != std::errc{} || function.address == 0 || line.size() < 4) continue;
    const char type = line[1];
    if (type != 't' && type != 'T' && type != 'w' && type != 'W') continue;
    const std::string_view name = line.substr(3, line.find('\t') - 3);
    if (name == "__sched_text_start") scheduler_.begin = function.address;
    if (name == "__sched_text_end") scheduler_.end = function.address;
    if (name == "__lock_text_start") locks_.begin = function.address;
    if (name == "__lock_text_end") locks_.end = function.address;
    function.name = static_cast<std::uint32_t>(names_.size());
    function.length = static_cast<std::uint32_t>(name.size());
    names_ += name;
    functions_.push_back(function);
  }
  std::stable_sort(functions_.begin(), functions_.end(),
                   [](const Function& a, const Function& b) { return a.address < b.address; });
  functions_.shrink_to_fit();
  names_.shrink_to_fit();
}

std::string_view KernelSymbols::wait_channel(std::span<const std::uint64_t> stack) {
  const auto waits_in =
      std::ranges::find_if(stack, [&](auto address) { return !scheduler_.has(address) && !locks_.has(address); });
  if (waits_in == stack.end()) return {};
  const std::string_view found = function_at(*waits_in);
  if (!is_wait_for_page(found)) return found;
  for (auto caller = waits_in; caller != stack.end(); ++caller)
    if (is_swap_in(function_at(*caller))) return function_at(*caller);
  return found;
}

std::string_view KernelSymbols::function_at(std::uint64_t address) {
  const auto [found, is_new] = found_.try_emplace(address);
  if (!is_new) return found->second;
  const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                      [](std::uint64_t at, const Function& function) { return at < function.address; });
  if (after == functions_.begin()) return {};
  const Function& function = *std::prev(after);
  return found->second = std::string_view(names_).substr(function.name, function.length);
}

}  // namespace dpm::sampling
