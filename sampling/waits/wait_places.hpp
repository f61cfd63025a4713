// How often each process was found waiting at which descriptors, for whom.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sampling/counts/count_array.hpp"
#include "sampling/waits/other_ends.hpp"

namespace dpm::sampling {

struct WaitPlace {
  std::string process;
  State state = State::select;
  std::string descriptors;          // "5", "5, 7, 9", "5, 7, 9 and 4 more"
  std::vector<std::string> others;  // at the other ends, in the order of the alphabet; what is not known is left out
  std::uint64_t samples = 0;        // of threads

  friend auto operator<=>(const WaitPlace&, const WaitPlace&) = default;
};

// "5, 7, 9 and 4 more"
std::string descriptors_text(const std::vector<int>& descriptors);

class WaitPlaces {
 public:
  // Just after it was taken. A thread that waits still is not looked at again.
  void add(const Sample& sample);

  // The most frequent first.
  std::vector<WaitPlace> all() const;
  // Of threads that wait at a descriptor.
  std::uint64_t samples() const { return samples_; }

 private:
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

  using Thread = std::pair<std::uint32_t, std::uint64_t>;  // its number and beginning
  struct Waiting {
    std::size_t place = kNowhere;
    std::uint64_t sample = 0;  // in which it was seen last
  };

  std::size_t place_of(const ThreadSample& thread);
  bool may_find_more(const Waiting& waiting) const;

  OtherEnds ends_;
  std::vector<WaitPlace> places_;
  std::map<WaitPlace, std::size_t> known_;  // without counts
  std::map<Thread, Waiting> threads_;
  std::uint64_t samples_ = 0, number_ = 0;
};

}  // namespace dpm::sampling
