// The contract every source of events keeps (model/event_source.hpp), as one check for all of them.
//
// A source's own test calls it with sources in different situations: nothing happens, one event, a busy computation,
// losses. The check returns what is wrong instead of failing a test, so that it can itself be tested with sources that
// break it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/event_source.hpp"

namespace dpm {

// Makes a source ready to run. Called several times; the sources observe the same thing with the same seed.
using SourceFactory = std::function<std::unique_ptr<EventSource>()>;

struct SourcePromises {
  bool same_bytes_again = true;  // false for sources that observe real programs, which never run twice the same
};

// One sentence for each broken promise, at most a few of each kind; empty when the contract is kept:
// - on_begin once and first, on_end once and last, and run() returns after it without an error;
// - when a batch names a machine, process, channel or channel set, the info already describes it; what the info says
//   never changes, and it stays the same object;
// - events of one process come in its own order: its CPU time and its machine's clock never go back, and the numbers of
//   the messages it sends over a channel grow;
// - a message is received at most once;
// - seen = delivered + lost, and every loss has a reason and a number;
// - the same again gives the same bytes.
std::vector<std::string> check_source_contract(const SourceFactory& make, SourcePromises promises = {});

}  // namespace dpm
