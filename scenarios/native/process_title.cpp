#include "scenarios/native/process_title.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dpm::native {
namespace {

struct ArgumentArea {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// Where the kernel reads the command line from: fields 48 and 49 of /proc/self/stat, counted from 1. The second field,
// the name in parentheses, may hold anything, so fields are counted from its end.
ArgumentArea find_arguments() {
  constexpr int kFieldOfBegin = 48;
  std::ifstream file("/proc/self/stat");
  std::string stat((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < kFieldOfBegin; ++field) fields >> skipped;
  ArgumentArea area;
  fields >> area.begin >> area.end;
  return fields ? area : ArgumentArea{};
}

}  // namespace

void set_process_title(const std::string& name) {
  ::prctl(PR_SET_NAME, name.c_str());
  const ArgumentArea area = find_arguments();
  if (area.end <= area.begin) return;
  // The last byte stays NUL. It tells the kernel that the arguments end where they did.
  auto* arguments = reinterpret_cast<char*>(area.begin);
  const std::size_t size = area.end - area.begin;
  std::memset(arguments, 0, size);
  std::copy_n(name.data(), std::min(name.size(), size - 1), arguments);
}

}  // namespace dpm::native
