// Which ids the events of a trace use, beside those that its tables describe: a recorder that was killed, or is still at
// work, has not described all.
#pragma once

#include <cstdint>

#include "model/event.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

class IdsInUse {
 public:
  explicit IdsInUse(const TableSizes& described) : sizes_(described) {}

  // The tables are larger now.
  void describe(const TableSizes& described);

  // Events that are not in the trace any more assigned ids, too.
  void count_removed(std::uint64_t events) { events_ += events; }

  // False: its ids are damage. Ids are assigned as things are first seen, at most three of a kind an event.
  bool add(const Event& event);

  const TableSizes& sizes() const { return sizes_; }

 private:
  TableSizes sizes_;
  std::uint64_t events_ = 0;
};

// Gives the ids that `info` does not describe names of their own ("process 7").
void name_unnamed(TraceInfo& info, const TableSizes& in_use);

}  // namespace dpm
