#include "analysis/vector_clocks/vector_clock.hpp"

#include <algorithm>

namespace dpm {
namespace {

constexpr std::size_t kListMost = 16;  // entries of a list that is never worth an array
// An array entry takes half the bytes of a list entry, and a small part of its time.
constexpr std::size_t kArrayEntriesPerListEntry = 8;

// With AVX2 where the CPU has it: the maximum of whole numbers is not in the x86-64 that everything else is compiled for.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default"), optimize("O3")))
#endif
void take_maximum(std::uint32_t* ours, const std::uint32_t* theirs, std::size_t entries) {
  for (std::size_t i = 0; i < entries; ++i) ours[i] = std::max(ours[i], theirs[i]);
}

}  // namespace

std::uint32_t VectorClock::count_of(std::uint32_t process) const {
  if (is_array()) return process < array_.size() ? array_[process] : 0;
  const auto found = std::lower_bound(list_.begin(), list_.end(), Entry{process, 0});
  return found != list_.end() && found->first == process ? found->second : 0;
}

void VectorClock::raise(std::uint32_t process, std::uint32_t count) {
  if (is_array()) {
    if (process >= array_.size()) array_.resize(process + 1);
    array_[process] = std::max(array_[process], count);
    return;
  }
  const auto found = std::lower_bound(list_.begin(), list_.end(), Entry{process, 0});
  if (found != list_.end() && found->first == process) {
    found->second = std::max(found->second, count);
    return;
  }
  list_.insert(found, {process, count});
  if (is_worth_an_array()) become_array();
}

void VectorClock::join(const VectorClock& other) {
  if (other.is_array() && !is_array()) become_array();
  if (other.is_array()) {
    if (array_.size() < other.array_.size()) array_.resize(other.array_.size());
    take_maximum(array_.data(), other.array_.data(), other.array_.size());
    return;
  }
  if (is_array() || other.list_.size() <= 2) {
    for (const auto& [process, count] : other.list_) raise(process, count);
    return;
  }
  std::vector<Entry> both;
  both.reserve(list_.size() + other.list_.size());
  auto mine = list_.begin();
  for (const Entry& theirs : other.list_) {
    while (mine != list_.end() && mine->first < theirs.first) both.push_back(*mine++);
    if (mine != list_.end() && mine->first == theirs.first)
      both.emplace_back(theirs.first, std::max(theirs.second, mine++->second));
    else
      both.push_back(theirs);
  }
  both.insert(both.end(), mine, list_.end());
  list_ = std::move(both);
  if (is_worth_an_array()) become_array();
}

bool VectorClock::is_worth_an_array() const {
  return list_.size() > kListMost && list_.back().first < list_.size() * kArrayEntriesPerListEntry;
}

void VectorClock::become_array() {
  array_.resize(list_.empty() ? 1 : list_.back().first + 1);
  for (const auto& [process, count] : list_) array_[process] = count;
  list_ = {};
}

}  // namespace dpm
