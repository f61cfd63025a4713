// When what a process needs has arrived, by the place of the event that needs it. Places grow while the process goes on, so that the memory
// of those passed is used for the next ones: there is as much of it as messages are on their way.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace dpm {

// Memory that the arrivals of several processes share.
class ArrivalPages {
 public:
  static constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();
  static constexpr std::uint32_t kPlaces = 256;
  using Page = std::array<std::int64_t, kPlaces>;

  std::unique_ptr<Page> take() {
    std::unique_ptr<Page> page;
    if (free_.empty()) {
      page = std::make_unique<Page>();
    } else {
      page = std::move(free_.back());
      free_.pop_back();
    }
    page->fill(kUnknown);
    return page;
  }
  void give_back(std::unique_ptr<Page> page) {
    if (page != nullptr) free_.push_back(std::move(page));
  }

 private:
  std::vector<std::unique_ptr<Page>> free_;
};

class Arrivals {
 public:
  void set(std::uint32_t place, std::int64_t time_ns, ArrivalPages& pages) {
    const std::size_t page = place / ArrivalPages::kPlaces;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) pages_[page] = pages.take();
    (*pages_[page])[place % ArrivalPages::kPlaces] = time_ns;
  }

  // ArrivalPages::kUnknown: it has not arrived. Places before this one are not asked for again.
  std::int64_t at(std::uint32_t place, ArrivalPages& pages) {
    const std::size_t page = place / ArrivalPages::kPlaces;
    for (; passed_ < page && passed_ < pages_.size(); ++passed_) pages.give_back(std::move(pages_[passed_]));
    if (page >= pages_.size() || pages_[page] == nullptr) return ArrivalPages::kUnknown;
    return (*pages_[page])[place % ArrivalPages::kPlaces];
  }

 private:
  std::vector<std::unique_ptr<ArrivalPages::Page>> pages_;
  std::size_t passed_ = 0;
};

}  // namespace dpm
