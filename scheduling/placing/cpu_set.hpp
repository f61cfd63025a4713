// Sets of CPUs, as the kernel writes them: "0-3,8".
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace dpm {

using CpuSet = std::set<int>;

// A number beyond kCpuMost, or anything else than a list, is refused. "" is the empty set.
inline constexpr int kCpuMost = 8191;
std::optional<CpuSet> parse_cpu_set(std::string_view text);
std::string cpu_set_text(const CpuSet& cpus);

CpuSet common_to(const CpuSet& a, const CpuSet& b);

}  // namespace dpm
