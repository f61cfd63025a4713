// The values that were added last: a set of bounded size that forgets the oldest value first.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <utility>

#include "model/check.hpp"

namespace dpm {

template <typename Value>
class RecentSet {
 public:
  // `max` is at least 1.
  explicit RecentSet(std::size_t max) : max_(max) { DPM_CHECK(max > 0); }

  // False if the value is in the set. It keeps its age then.
  bool add(Value value) {
    if (!values_.insert(value).second) return false;
    order_.push_back(std::move(value));
    if (order_.size() > max_) {
      values_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }
  bool contains(const Value& value) const { return values_.contains(value); }

 private:
  std::size_t max_;
  std::set<Value> values_;
  std::deque<Value> order_;  // the oldest first
};

}  // namespace dpm
