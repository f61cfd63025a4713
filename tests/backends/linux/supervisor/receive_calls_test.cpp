// The decision about a call that asks for data, by its terms and the state of its queue.
#include "backends/linux/supervisor/receive_calls.hpp"

#include "tests/support/catch.hpp"

namespace dpm {

TEST_CASE("receives: a call that may not wait and finds nothing is answered, where it can only fail so", "[linux]") {
  const QueueState nothing{.takes_nothing = true};
  CHECK(decide({.may_wait = true}, nothing, false) == ReceiveDecision::wait_for_data);
  CHECK(decide({.may_wait = false, .may_be_answered = true}, nothing, false) == ReceiveDecision::answer_again);
  CHECK(decide({.may_wait = false}, nothing, false) == ReceiveDecision::let_go);
  // Of a pipe the counters will tell.
  CHECK(decide({.may_wait = false}, {}, false) == ReceiveDecision::record);
}

TEST_CASE("receives: what is there is recorded, unless another thread may be taking it", "[linux]") {
  const QueueState data{.readable = true, .bytes = 10};
  for (const bool may_wait : {false, true}) {
    const ReceiveTerms terms{.may_wait = may_wait, .may_be_answered = true};
    CHECK(decide(terms, data, false) == ReceiveDecision::record);
    CHECK(decide(terms, data, true) == ReceiveDecision::wait_for_turn);
    CHECK(decide(terms, {.readable = true, .takes_nothing = true}, false) == ReceiveDecision::let_go);
  }
}

TEST_CASE("receives: one that waits for all is recorded when the first data are there", "[linux]") {
  CHECK(decide({.may_wait = true, .takes_all = true}, {}, false) == ReceiveDecision::wait_for_data);
  CHECK(decide({.may_wait = true, .takes_all = true}, {.readable = true, .bytes = 1}, false) ==
        ReceiveDecision::record);
}

}  // namespace dpm
