#include "sampling/states/swap_in.hpp"

#include <algorithm>
#include <array>

namespace dpm::sampling {

bool is_wait_for_page(std::string_view wchan) {
  constexpr std::array<std::string_view, 4> kPageWaits = {"folio_wait_bit", "__folio_lock", "wait_on_page_bit",
                                                          "__lock_page"};
  return std::ranges::any_of(kPageWaits, [&](std::string_view begin) { return wchan.starts_with(begin); });
}

bool is_swap_in(std::string_view function) {
  return function.starts_with("do_swap_page") || function.starts_with("shmem_swapin");
}

std::string_view swap_in_of_stack(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto address_end = line.find("] ");
    if (address_end == std::string_view::npos) continue;
    line.remove_prefix(address_end + 2);
    const std::string_view function = line.substr(0, line.find('+'));
    if (is_swap_in(function)) return function;
  }
  return {};
}

}  // namespace dpm::sampling
