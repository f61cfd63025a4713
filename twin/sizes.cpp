#include "twin/sizes.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace dpm::twin {

bool tell_kinds_by_size(const Recording& recording, const Groups& groups, const Conducts& conducts, Kinds& kinds) {
  constexpr std::size_t kSizesMost = 32;
  constexpr double kExplained = 0.3;  // of the variance of CPU times
  constexpr double kExplainsForm = 0.9;
  struct Sizes {
    double n = 0, sum = 0, squares = 0;
    std::map<std::string, std::uint64_t> forms;
  };
  struct Of {
    std::map<std::uint32_t, Sizes> by_size;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Of> classes;  // from, to, code
  const Material material{recording, groups, kinds, conducts};
  for (std::uint32_t p = 0; p < recording.lives.size(); ++p) {
    for (const Activity& activity : conducts.of[p].activities) {
      if (activity.trigger == kNone) continue;
      const Op& trigger = recording.lives[p].ops[activity.trigger];
      if (trigger.peer == kNone) continue;
      const TokenRun run = tokens_of(material, p, activity.begin, activity.end, activity.tail_cpu_ns, activity.stops);
      auto& by_size = classes[{groups.of[trigger.peer], groups.of[p], trigger.code}].by_size;
      if (by_size.size() > kSizesMost) continue;
      Sizes& sizes = by_size[trigger.bytes];
      const double cpu_s = run.cpu_s();
      sizes.n += 1;
      sizes.sum += cpu_s;
      sizes.squares += cpu_s * cpu_s;
      ++sizes.forms[run.key()];
    }
  }
  bool any = false;
  for (const auto& [key, of] : classes) {
    if (of.by_size.size() < 2 || of.by_size.size() > kSizesMost) continue;
    double n = 0, sum = 0, squares = 0, between = 0, usual = 0;
    std::map<std::string, std::uint64_t> forms;
    for (const auto& [size, sizes] : of.by_size) {
      n += sizes.n;
      sum += sizes.sum;
      squares += sizes.squares;
      between += sizes.sum * sizes.sum / sizes.n;
      std::uint64_t most = 0;
      for (const auto& [form, count] : sizes.forms) {
        most = std::max(most, count);
        forms[form] += count;
      }
      usual += static_cast<double>(most);
    }
    if (n < 5 * static_cast<double>(of.by_size.size())) continue;
    std::uint64_t most = 0;
    for (const auto& [form, count] : forms) most = std::max(most, count);
    const double all = squares - sum * sum / n;
    // By chance alone sizes explain (sizes - 1) / n of the variance.
    const double by_chance = static_cast<double>(of.by_size.size()) / n;
    const bool explains_time = all > 0 && (between - sum * sum / n) / all > kExplained + by_chance;
    const double unusual = n - static_cast<double>(most);
    const bool explains_form = unusual > 0.02 * n && (n - usual) < (1 - kExplainsForm) * unusual;
    if (!explains_time && !explains_form) continue;
    const auto& [from, to, code] = key;
    kinds.tell_by_size(from, to, code);
    any = true;
  }
  return any;
}

}  // namespace dpm::twin
