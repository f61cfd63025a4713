// The contract every analysis keeps: it is an EventSink that makes plain results of any stream of events a source may
// push.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/event_source.hpp"
#include "tests/support/memory_source.hpp"

namespace dpm {

// Makes a fresh analysis, runs `source` into it, and returns its results written out in full, so that two results can
// be compared. A refusal ("a trace without a single SEND") is a result too: its message.
using RunAnalysis = std::function<std::string(EventSource& source)>;

// One sentence for each broken promise; empty when the contract is kept:
// - an empty stream, and one event of each type alone, give a result or a refusal;
// - the same events give the same result again, whatever the batches they come in;
// - nothing is promised between processes: the same events in another order between processes give the same result;
// - what an acquired process used before is of no trace (check_acquired()).
std::vector<std::string> check_analysis_contract(const RunAnalysis& run, const Recording& typical);

// The promise about acquired processes alone: a trace of them gives the same result as one of processes that began where it
// begins. Their CPU times are larger by what they had used before, another amount for each; recorders of today tell it in
// STARTPROCESS, older ones said 0 there.
std::vector<std::string> check_acquired(const RunAnalysis& run, const Recording& typical);

}  // namespace dpm
