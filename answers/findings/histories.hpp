// The history graphs of one trace: one for each requested computation, built in one reading.
#pragma once

#include <list>
#include <memory>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm::cli {

bool is_same(const Computation& a, const Computation& b);

class Histories {
 public:
  void add(Computation computation, Result<std::shared_ptr<const History>> history);

  // The history of a requested computation, or why it has none.
  Result<std::shared_ptr<const History>> of(const Computation& computation) const;

 private:
  struct One {
    Computation computation;
    Result<std::shared_ptr<const History>> history;
  };
  std::vector<One> all_;
};

class HistoryBuilders {
 public:
  // A computation that is requested twice is built once.
  void add(const Computation& computation);

  std::vector<EventSink*> sinks();
  Histories take();

 private:
  struct One {
    explicit One(const Computation& of) : computation(of), builder(of) {}
    Computation computation;
    HistoryBuilder builder;
  };
  std::list<One> all_;  // a list, because sinks must not move
};

}  // namespace dpm::cli
