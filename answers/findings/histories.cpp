#include "answers/findings/histories.hpp"

#include <algorithm>

#include "model/check.hpp"

namespace dpm::cli {

bool is_same(const Computation& a, const Computation& b) {
  return a.only == b.only && a.all_processes == b.all_processes && a.external_time == b.external_time;
}

void Histories::add(Computation computation, Result<std::shared_ptr<const History>> history) {
  all_.push_back({std::move(computation), std::move(history)});
}

Result<std::shared_ptr<const History>> Histories::of(const Computation& computation) const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&](const One& one) { return is_same(one.computation, computation); });
  DPM_CHECK(found != all_.end());
  return found->history;
}

void HistoryBuilders::add(const Computation& computation) {
  const auto same = [&](const One& one) { return is_same(one.computation, computation); };
  if (std::none_of(all_.begin(), all_.end(), same)) all_.emplace_back(computation);
}

std::vector<EventSink*> HistoryBuilders::sinks() {
  std::vector<EventSink*> sinks;
  for (auto& one : all_) sinks.push_back(&one.builder);
  return sinks;
}

Histories HistoryBuilders::take() {
  Histories histories;
  for (auto& one : all_) {
    auto history = one.builder.take();
    if (history) {
      histories.add(std::move(one.computation), std::make_shared<const History>(*std::move(history)));
    } else {
      histories.add(std::move(one.computation), history.error());
    }
  }
  all_.clear();
  return histories;
}

}  // namespace dpm::cli
