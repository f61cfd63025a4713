// links: dpm_linux_acquire dpm_os_kernel dpm_model
// What the kernel says about a process contains names that the process has chosen. Any text, and any message of the socket
// diagnosis, is read without a fault; a process's name does not become a field. The first byte says which reader.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "backends/linux/custody/acquire/code_room.hpp"
#include "model/check.hpp"
#include "os/kernel/cgroups.hpp"
#include "os/kernel/children.hpp"
#include "os/kernel/closed_sockets.hpp"
#include "os/kernel/descriptor.hpp"

namespace {

using namespace dpm;

constexpr std::size_t kNameBytesMax = 15;  // of a process, in the kernel

// A line of /proc/PID/stat of a process with this name.
void check_name(std::string name) {
  name.resize(std::min(name.size(), kNameBytesMax));
  std::replace(name.begin(), name.end(), '\0', '?');
  std::string line = "7 (" + name + ") S 5 6";
  for (int field = 6; field <= 52; ++field) line += " 0";
  const auto child = parse_child(line.c_str());
  DPM_CHECK(child && child->pid == 7 && child->state == 'S' && child->parent_pid == 5 && child->group == 6);
}

void check_mappings(const std::string& maps) {
  const auto lines = static_cast<std::size_t>(std::count(maps.begin(), maps.end(), '\n')) + 1;
  DPM_CHECK(parse_mappings(maps).size() <= lines);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
    case 0:
      (void)parse_child(text.c_str());
      break;
    case 1:
      check_name(text);
      break;
    case 2:
      (void)parse_event_counter(text.c_str());
      break;
    case 3:
      (void)cgroup_folder_in(text, cgroup_in(text));
      (void)freezer_folder_in(text, freezer_in(text));
      break;
    case 4:
      check_mappings(text);
      break;
    default:
      (void)parse_closed_socket(std::as_bytes(std::span(data, size)).subspan(1));
      break;
  }
  return 0;
}
