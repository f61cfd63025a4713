#include "formats/strace/strace_origins.hpp"

#include <cstdint>

namespace dpm {

std::vector<StraceBeginning> strace_beginnings(const std::vector<StraceOrigin>& origins) {
  std::vector<StraceBeginning> beginnings(origins.size());
  std::vector<bool> visited(origins.size());
  std::vector<std::uint32_t> path;  // from a process to its makers, as far as those are not known
  for (std::uint32_t first = 0; first < origins.size(); ++first) {
    for (std::uint32_t at = first; at != ProcessId::kNone && !visited[at]; at = origins[at].maker.value) {
      visited[at] = true;
      path.push_back(at);
    }
    for (; !path.empty(); path.pop_back()) {
      const std::uint32_t at = path.back();
      const StraceOrigin& origin = origins[at];
      const bool maker_known =
          !origin.maker.is_none() && !beginnings[origin.maker.value].first_thread.is_none();  // otherwise: a circle
      StraceBeginning& beginning = beginnings[at];
      beginning = {ProcessId{at}, origin.program};
      if (!maker_known) continue;
      const StraceBeginning& maker = beginnings[origin.maker.value];
      if (origin.is_thread) beginning.first_thread = maker.first_thread;
      if (origin.program.empty()) beginning.program = maker.program;
    }
  }
  return beginnings;
}

}  // namespace dpm
