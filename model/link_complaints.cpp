#include "model/link_complaints.hpp"

#include <algorithm>
#include <vector>

namespace dpm::complaints {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

}  // namespace

std::string no_link_at(LinkIndex index) {
  if (index.is_none()) return "no link was given";
  return "index " + std::to_string(index.value) +
         " of its link table holds no link (was it destroyed, or is it an index of another process?)";
}

std::string not_my_link(LinkIndex index, std::string_view owner) {
  return "link " + std::to_string(index.value) + " leads to process " + quoted(owner) +
         "; a process can only receive over links it created itself";
}

std::string negative_time(Duration time) {
  return time.ns >= 0 ? "" : "a negative time (" + std::to_string(time.ns) + " ns) cannot be computed";
}

std::string outside_address_space(const DataArea& area, std::size_t address_space_bytes) {
  if (area.offset_bytes <= address_space_bytes && area.size_bytes <= address_space_bytes - area.offset_bytes) return "";
  return "the data area of " + std::to_string(area.size_bytes) + " bytes at " + std::to_string(area.offset_bytes) +
         " is not inside its address space of " + std::to_string(address_space_bytes) + " bytes";
}

std::string no_data_movement(const std::optional<DataArea>& area, std::uint64_t bytes, bool read) {
  const std::string which = std::string("the link it moves data ") + (read ? "from" : "to");
  if (!area) return which + " has no data area";
  if (!(read ? area->read : area->write)) return which + " gives no right to " + (read ? "read" : "write");
  if (bytes <= area->size_bytes) return "";
  return std::to_string(bytes) + " bytes do not fit the data area of " + std::to_string(area->size_bytes) +
         " bytes of " + which;
}

std::string address_space_shrank(std::string_view process) {
  return "the address space of " + quoted(process) + " has become smaller than the data area of its link";
}

std::string no_link_to(std::string_view process, std::string_view other) {
  return "process " + quoted(process) + ", link_to: the scenario gives it no link to " + quoted(other) +
         "; add it to the links of " + quoted(process);
}

std::string no_link_from(std::string_view process, std::string_view other) {
  return "process " + quoted(process) + ", link_from: the scenario gives " + quoted(other) +
         " no link to it; add it to the links of " + quoted(other);
}

std::string awaited_from(std::span<const std::string> names) {
  constexpr std::size_t kMostNames = 5;
  std::vector<std::string> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(sorted.size(), kMostNames); ++i)
    text += (i > 0 ? " or " : " from ") + quoted(sorted[i]);
  if (sorted.size() > kMostNames) text += " or " + std::to_string(sorted.size() - kMostNames) + " others";
  return text;
}

}  // namespace dpm::complaints
