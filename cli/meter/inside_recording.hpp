// Puts the events inside programs that a script wants among those of the meter, so that one trace has both, in the order of each
// thread.
//
// A thread writes a record before it makes its next call. So when an event of the thread arrives here, all its earlier records are in
// its ring, and are taken and put before the event. Records after its last event wait for the next one, or for the end. Between
// events, a thread of our own empties the rings.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "cli/scripting/script_watch.hpp"
#include "model/event_source.hpp"
#include "model/trace_growth.hpp"
#include "model/whole_number.hpp"

namespace dpm::cli {

// What is wanted. Made before the program starts, which is then seen from its first instruction.
class InsidePlan {
 public:
  // Whether there may be one: refused if another monitor looks at the programs of this account.
  static Result<void> check();
  static Result<std::unique_ptr<InsidePlan>> prepare(EventScript script, const std::vector<std::string>& command);
  InsidePlan(const InsidePlan&) = delete;

  ScriptWatch& watch() { return watch_; }

 private:
  InsidePlan(EventScript script, ProgramFolder folder, const std::vector<std::string>& command);

  EventScript script_;
  ScriptWatch watch_;
};

class InsideRecording : public EventSink, public GrowthSink {
 public:
  // Passes everything on to both, which may be the same object.
  InsideRecording(InsidePlan& plan, EventSink& events, GrowthSink& growth);
  ~InsideRecording() override;
  InsideRecording(const InsideRecording&) = delete;

  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // What the author of the script should know, after the end.
  std::vector<std::string> take_complaints();

 private:
  using ThreadKey = std::pair<std::uint32_t, std::uint32_t>;  // pid and tid
  struct Record {
    std::int64_t time_ns = 0;  // local time, as the meter's
    std::size_t event = 0;
    WholeNumber value;
  };

  void take();  // from the rings; with the lock
  void learn(const ProcessInfo& process, std::uint32_t number);
  void put_before(const Event& event, std::vector<Event>& out);
  void put(ProcessId process, MachineId machine, const Record& record, std::vector<Event>& out);
  std::uint32_t row_of(std::size_t event);

  InsidePlan& plan_;
  EventSink& events_;
  GrowthSink& growth_;
  std::mutex mutex_;  // of the watch and what follows
  std::map<ThreadKey, std::uint32_t> numbers_;
  std::vector<ThreadKey> threads_;  // by number
  std::uint32_t rows_ = 0;          // of primitive events
  std::map<PrimitiveEvent, std::uint32_t> row_of_;
  std::map<ThreadKey, std::deque<Record>> held_;
  std::size_t held_records_ = 0;
  std::uint64_t put_ = 0;
  std::jthread emptying_;  // last: it uses all the others
};

}  // namespace dpm::cli
