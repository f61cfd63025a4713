// Less work under a sanitizer: there a simulated process is a thread, and everything else is several times as slow; a
// sanitizer finds its errors after few repetitions as well as after many. Normal builds do all of it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

namespace dpm::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kUnderSanitizer = true;
#else
inline constexpr bool kUnderSanitizer = false;
#endif

// `all`, or the first `few` of them under a sanitizer, which the test's output then reports. `what` is a plural.
inline std::uint64_t fewer_if_sanitized(std::uint64_t all, std::uint64_t few, const char* what) {
  if (!kUnderSanitizer) return all;
  std::printf("REDUCED: %llu of %llu %s, because of the sanitizer\n", static_cast<unsigned long long>(few),
              static_cast<unsigned long long>(all), what);
  return few;
}

template <class Value>
std::vector<Value> fewer_if_sanitized(std::vector<Value> all, std::uint64_t few, const char* what) {
  all.resize(fewer_if_sanitized(all.size(), few, what));
  return all;
}

}  // namespace dpm::test
