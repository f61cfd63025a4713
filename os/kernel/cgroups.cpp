#include "os/kernel/cgroups.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include "os/read_file.hpp"

namespace dpm {
namespace {

// "memory" in "rw,memory", not in "rw,memory2".
bool has_word(const std::string& list, std::string_view word) {
  std::istringstream words(list);
  for (std::string one; std::getline(words, one, ',');) {
    if (one == word) return true;
  }
  return false;
}

// Lines of /proc/PID/cgroup are "NUMBER:CONTROLLERS:PLACE". Version 2 has no controllers.
std::string place_in(const std::string& cgroups, std::string_view controller) {
  std::istringstream lines(cgroups);
  for (std::string line; std::getline(lines, line);) {
    const auto number = line.find(':');
    const auto names = number == std::string::npos ? number : line.find(':', number + 1);
    if (names == std::string::npos) continue;
    const std::string controllers = line.substr(number + 1, names - number - 1);
    if (controller.empty() ? !controllers.empty() : !has_word(controllers, controller)) continue;
    std::string place = line.substr(names + 1);
    return place.starts_with("/..") ? "" : place;  // outside of the reader's namespace
  }
  return "";
}

// Lines of mountinfo are "36 35 0:27 ROOT POINT options [optional fields] - TYPE source options".
std::string folder_in(const std::string& mounts, const std::string& cgroup, std::string_view type,
                      std::string_view controller) {
  if (!cgroup.starts_with('/')) return "";
  std::istringstream lines(mounts);
  for (std::string line; std::getline(lines, line);) {
    const auto middle = line.find(" - ");
    if (middle == std::string::npos) continue;
    std::istringstream words(line), kind(line.substr(middle + 3));
    std::string number, parent, device, root, point, found_type, source, options;
    if (!(words >> number >> parent >> device >> root >> point) || !(kind >> found_type >> source >> options)) continue;
    if (found_type != type || (!controller.empty() && !has_word(options, controller))) continue;
    if (root == "/") return cgroup == "/" ? point : point + cgroup;
    if (cgroup == root || cgroup.starts_with(root + "/")) return point + cgroup.substr(root.size());
  }
  return "";
}

constexpr std::string_view kFreezer = "freezer";

bool is_hexadecimal(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// "docker-<64 digits>.scope" becomes "docker-<12 digits>.scope", as docker shows it.
std::string with_short_ids(const std::string& place) {
  constexpr std::size_t kIdDigitsMin = 32, kShownDigits = 12;
  std::string shortened;
  for (std::size_t at = 0; at < place.size();) {
    std::size_t end = at;
    while (end < place.size() && is_hexadecimal(place[end])) ++end;
    const std::size_t digits = end - at;
    shortened.append(place, at, digits >= kIdDigitsMin ? kShownDigits : std::max<std::size_t>(digits, 1));
    at = std::max(end, at + 1);
  }
  return shortened;
}

// The place in the first tree of version 1 that has put the process below its root; systemd's tree comes first.
std::string version_1_place_in(const std::string& cgroups) {
  std::string first;
  std::istringstream lines(cgroups);
  for (std::string line; std::getline(lines, line);) {
    const auto number = line.find(':');
    const auto names = number == std::string::npos ? number : line.find(':', number + 1);
    if (names == std::string::npos || names == number + 1) continue;
    const std::string place = line.substr(names + 1);
    if (place.size() <= 1 || place.starts_with("/..")) continue;
    if (line.substr(number + 1, names - number - 1) == "name=systemd") return place;
    if (first.empty()) first = place;
  }
  return first;
}

std::string without_program(std::string place) {
  const auto last = place.rfind('/') + 1;
  const std::string_view name = std::string_view(place).substr(last);
  if (!name.starts_with(kProgramCgroup)) return place;
  const auto numbers = name.substr(kProgramCgroup.size());
  const bool is_ours = !numbers.empty() && numbers.find_first_not_of("0123456789-") == std::string_view::npos;
  return is_ours ? place.substr(0, std::max<std::size_t>(last, 1) - 1) : place;
}

// Programs read these in the cgroup that /proc/self/cgroup names (a Java machine sizes its heap by memory.max). A cgroup
// below has none of them unless its controller is passed on.
constexpr std::array kLimits = {"memory.max", "memory.high", "memory.swap.max", "cpu.max"};

}  // namespace

std::string program_cgroup_name(std::uint32_t pid) {
  struct stat pids {};
  if (::stat("/proc/self/ns/pid", &pids) != 0) pids.st_ino = 0;
  return fmt::format("{}{}-{}", kProgramCgroup, pid, pids.st_ino);
}

std::string cgroup_in(const std::string& cgroups) { return place_in(cgroups, ""); }

std::string freezer_in(const std::string& cgroups) { return place_in(cgroups, kFreezer); }

std::string cgroup_folder_in(const std::string& mounts, const std::string& cgroup) {
  return folder_in(mounts, cgroup, "cgroup2", "");
}

std::string freezer_folder_in(const std::string& mounts, const std::string& cgroup) {
  return folder_in(mounts, cgroup, "cgroup", kFreezer);
}

std::string cgroup_label(const std::string& cgroups) {
  std::string place = without_program(cgroup_in(cgroups));
  if (place.size() <= 1) place = version_1_place_in(cgroups);
  return place.empty() ? "" : with_short_ids(place.substr(1));
}

std::string read_cgroup_label(std::uint32_t pid) {
  return cgroup_label(read_file(fmt::format("/proc/{}/cgroup", pid)));
}

std::string read_cgroup_folder(std::uint32_t pid) {
  return cgroup_folder_in(read_file("/proc/self/mountinfo"), cgroup_in(read_file(fmt::format("/proc/{}/cgroup", pid))));
}

std::string read_cgroup_root() { return cgroup_folder_in(read_file("/proc/self/mountinfo"), "/"); }

std::string read_frozen_cgroup(std::uint32_t pid) {
  const std::string mounts = read_file("/proc/self/mountinfo"),
                    cgroups = read_file(fmt::format("/proc/{}/cgroup", pid));
  const std::string unified = cgroup_folder_in(mounts, cgroup_in(cgroups));
  // "frozen 1" comes when all processes of the cgroup stand still; cgroup.freeze tells that the order was given.
  if (!unified.empty() && (read_file(unified + "/cgroup.events").find("frozen 1") != std::string::npos ||
                           read_file(unified + "/cgroup.freeze").starts_with("1")))
    return unified;
  const std::string freezer = freezer_folder_in(mounts, freezer_in(cgroups));
  const std::string state = freezer.empty() ? "" : read_file(freezer + "/freezer.state");
  return state.starts_with("FR") ? freezer : "";  // FROZEN or FREEZING
}

std::string find_hidden_limit(const std::string& folder) {
  const std::string passed_on = read_file(folder + "/cgroup.subtree_control");
  for (const std::string limit : kLimits) {
    std::istringstream value(read_file(folder + "/" + limit)), names(passed_on);
    std::string word;
    if (!(value >> word) || word == "max") continue;
    bool is_passed_on = false;
    for (std::string name; names >> name;) is_passed_on |= limit.starts_with(name + ".");
    if (!is_passed_on) return limit;
  }
  return "";
}

Result<std::string> find_delegated_cgroup() {
  const std::string folder = read_cgroup_folder(static_cast<std::uint32_t>(::getpid()));
  if (folder.empty()) return Error{"cgroups of version 2 are not mounted"};
  if (::access(folder.c_str(), W_OK) != 0 || ::access((folder + "/cgroup.procs").c_str(), W_OK) != 0)
    return Error{folder + " is not delegated to this user"};
  if (const std::string limit = find_hidden_limit(folder); !limit.empty())
    return Error{fmt::format("{}/{} is set, and programs in a cgroup of their own would not see it", folder, limit)};
  return folder;
}

Result<void> make_cgroup(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0755) != 0) return Error::from_errno("make the cgroup " + folder);
  if (::access((folder + "/cgroup.freeze").c_str(), W_OK) == 0) return {};
  ::rmdir(folder.c_str());
  return Error{"cgroups cannot be frozen (Linux 5.2)"};
}

}  // namespace dpm
