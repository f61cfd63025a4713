// While the meter is stopped, its keeper answers in its place (os/kernel/notification_slots.hpp), and needs a moment to
// see that the meter goes on. Until then either of the two may answer a call, and none is recorded.
#pragma once

#include <cstdint>
#include <optional>

#include "model/event_source.hpp"
#include "os/kernel/notification_slots.hpp"

namespace dpm {

class StandInWatch {
 public:
  // Counts from the values that earlier meters of the program left in `stand_in`.
  explicit StandInWatch(const StandIn& stand_in);

  struct Look {
    bool stands_in = false;
    bool passes_all = false;  // what threads did meanwhile is not known: every held call goes on
  };
  Look look(std::int64_t now_ns);

  // The meter let calls go on unseen because of it.
  void passed_calls(std::uint64_t calls) { passed_calls_ += calls; }
  std::optional<Loss> loss(std::int64_t now_ns) const;

 private:
  std::int64_t stopped_ns(std::int64_t now_ns) const;

  const StandIn& stand_in_;
  std::uint64_t changes_ = 0;    // StandIn::changes, as far as noticed
  std::int64_t until_ns_ = 0;    // 0: the keeper does not stand in
  std::int64_t noticed_ns_ = 0;  // when it was noticed last that the keeper stands in; 0: not yet
  std::uint64_t passed_calls_ = 0;
  std::uint64_t calls_before_ = 0;
  std::int64_t stopped_before_ns_ = 0;
};

}  // namespace dpm
