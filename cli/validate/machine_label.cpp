#include "cli/validate/machine_label.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <iterator>

#include "os/machine.hpp"

namespace dpm::cli {
namespace {

std::string cpu_model(const std::string& cpuinfo) {
  const auto key = cpuinfo.find("model name");
  const auto colon = key == std::string::npos ? key : cpuinfo.find(':', key);
  if (colon == std::string::npos) return "unknown CPU";
  const auto begin = cpuinfo.find_first_not_of(" \t", colon + 1);
  const auto end = cpuinfo.find('\n', colon);
  return begin == std::string::npos || begin >= end ? "unknown CPU" : cpuinfo.substr(begin, end - begin);
}

// Without the number of the patch.
std::string minor_version(const std::string& release) {
  const auto first = release.find('.');
  return first == std::string::npos ? release : release.substr(0, release.find_first_not_of("0123456789", first + 1));
}

}  // namespace

std::string machine_label(const std::string& cpuinfo, std::uint16_t cores, const std::string& release) {
  return fmt::format("{}, {} cores, Linux {}", cpu_model(cpuinfo), cores, minor_version(release));
}

std::string label_of_this_machine() {
  std::ifstream file("/proc/cpuinfo");
  const std::string cpuinfo{std::istreambuf_iterator<char>(file), {}};
  utsname kernel = {};
  ::uname(&kernel);
  return machine_label(cpuinfo, machine_cores(), kernel.release);
}

}  // namespace dpm::cli
