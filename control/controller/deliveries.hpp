// Whether the events of processes reach their filters, and their logs: reports changes, and for each filter what is missing.
//
// A meter that cannot reach its filter keeps its events on its machine, so that nothing is lost. But the filter's log
// knows nothing of them. What a filter cannot write is lost.
#pragma once

#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "trace/undelivered.hpp"

namespace dpm::control {

class Deliveries {
 public:
  explicit Deliveries(Computation& computation) : computation_(computation) {}

  // Returns what the user must learn; often nothing.
  std::string take(const std::string& machine, const DeliveryChanged& report);
  // The process is about to be removed: remembers what it leaves, and returns a sentence about that.
  std::string keep(const ProcessRecord& process);

  // Of processes that are there or were removed; none if all events reach the filter.
  std::vector<Undelivered> of(const std::string& filter) const;
  // In few words, for the list of filters; empty if all events reach it.
  std::string remark(const FilterRecord& filter) const;
  // Sentences about what is missing, with what to do.
  Lines sentences(const FilterRecord& filter) const;
  Lines sentences(const Job& job) const;

 private:
  bool is_cut_off(const std::string& machine, const std::string& filter) const;
  std::string take(FilterRecord& filter, const Delivery& now);
  std::string news(const Undelivered& now, const std::string& filter, bool was_cut_off) const;
  std::string remedy(const std::string& machine, const std::string& filter) const;

  Computation& computation_;
};

}  // namespace dpm::control
