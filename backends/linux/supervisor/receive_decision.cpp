#include "backends/linux/supervisor/receive_decision.hpp"

namespace dpm {

ReceiveDecision decide(const ReceiveTerms& terms, const QueueSight& sight, bool may_be_anothers) {
  if (!sight.readable) {
    if (terms.takes_all) return ReceiveDecision::record;
    if (terms.may_wait) return ReceiveDecision::wait_for_data;
    if (terms.may_be_answered) return ReceiveDecision::answer_again;
  } else if (may_be_anothers) {
    return ReceiveDecision::wait_for_turn;
  }
  return sight.takes_nothing ? ReceiveDecision::let_go : ReceiveDecision::record;
}

}  // namespace dpm
