// Compares two ways of doing the same work. Single times mean little on a shared machine, so both ways run alternately,
// several times, and the ratio of their medians is printed first.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace dpm {

// One way of doing the work, and what to call it in the output.
template <typename Work>
struct Way {
  std::string name;
  Work work;
};

template <typename Work>
Way(std::string, Work) -> Way<Work>;

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

template <typename Work>
double seconds_of(Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// "matching: sorted arrays are 3.1 times as fast as a hash map (24.0 ns against 74.4 ns an event)". `units` is how many
// units of work (`unit`: "event", "message") one call does.
template <typename Work, typename OtherWork>
void print_ratio(const std::string& what, Way<Work> way, Way<OtherWork> other, std::uint64_t units, const char* unit) {
  constexpr int kTurns = 7;
  std::vector<double> way_s, other_s;
  for (int turn = 0; turn < kTurns; ++turn) {
    way_s.push_back(seconds_of(way.work));
    other_s.push_back(seconds_of(other.work));
  }
  const double to_ns_per_unit = 1e9 / static_cast<double>(units);
  std::printf("%s: %s are %.2f times as fast as %s (%.1f ns against %.1f ns a%s %s)\n", what.c_str(), way.name.c_str(),
              median(other_s) / median(way_s), other.name.c_str(), median(way_s) * to_ns_per_unit,
              median(other_s) * to_ns_per_unit, unit[0] == 'e' ? "n" : "", unit);
}

}  // namespace dpm
