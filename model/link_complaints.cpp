#include "model/link_complaints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace dpm::complaints {
namespace {

std::string in_quotes(std::string_view name) { return fmt::format("'{}'", name); }

// " from 'a' or 'b' or 3 others"
std::string listed(std::span<const std::string> names, const char* first, const char* between) {
  constexpr std::size_t kMostNames = 5;
  std::vector<std::string> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostNames); ++i)
    text += (i > 0 ? between : first) + in_quotes(sorted[i]);
  if (sorted.size() > kMostNames) text += fmt::format("{}{} others", between, sorted.size() - kMostNames);
  return text;
}

}  // namespace

std::string no_link_at(LinkIndex index) {
  if (index.is_none()) return "no link was given";
  return fmt::format(
      "index {} of its link table holds no link (was it destroyed, or is it an index of another process?)",
      index.value);
}

std::string not_my_link(LinkIndex index, std::string_view owner) {
  return fmt::format("link {} leads to process {}; a process can only receive over links it created itself",
                     index.value, in_quotes(owner));
}

std::string negative_time(Duration time) {
  return time.ns >= 0 ? "" : fmt::format("a negative time ({} ns) cannot pass", time.ns);
}

std::string outside_address_space(const DataArea& area, std::size_t address_space_bytes) {
  if (area.offset_bytes <= address_space_bytes && area.size_bytes <= address_space_bytes - area.offset_bytes) return "";
  return fmt::format("the data area of {} bytes at {} is not inside its address space of {} bytes", area.size_bytes,
                     area.offset_bytes, address_space_bytes);
}

std::string no_data_movement(const std::optional<DataArea>& area, std::uint64_t bytes, bool read) {
  const std::string which = std::string("the link it moves data ") + (read ? "from" : "to");
  if (!area) return which + " has no data area";
  if (!(read ? area->read : area->write)) return fmt::format("{} gives no right to {}", which, read ? "read" : "write");
  if (bytes <= area->size_bytes) return "";
  return fmt::format("{} bytes do not fit the data area of {} bytes of {}", bytes, area->size_bytes, which);
}

std::string address_space_shrank(std::string_view process) {
  return fmt::format("the address space of {} has become smaller than the data area of its link", in_quotes(process));
}

std::string no_link_to(std::string_view process, std::string_view other) {
  return fmt::format("process {}, link_to: the scenario gives it no link to {}; add it to the links of {}",
                     in_quotes(process), in_quotes(other), in_quotes(process));
}

std::string no_link_from(std::string_view process, std::string_view other) {
  return fmt::format("process {}, link_from: the scenario gives {} no link to it; add it to the links of {}",
                     in_quotes(process), in_quotes(other), in_quotes(other));
}

std::string waits_for_message(std::string_view kinds) {
  return kinds.empty() ? "waits for a message" : fmt::format("waits for {}", kinds);
}

std::string waits_for_reply(std::span<const std::string> callees, std::string_view kinds) {
  return fmt::format("waits for the {}{}{}", callees.size() > 1 ? "replies" : "reply", listed(callees, " of ", " and "),
                     kinds.empty() ? "" : fmt::format(" to {}", kinds));
}

std::string awaited_from(std::span<const std::string> names) { return listed(names, " from ", " or "); }

}  // namespace dpm::complaints
