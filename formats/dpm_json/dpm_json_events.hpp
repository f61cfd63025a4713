// The events of a document of `dpm events --json`, with the tables that they need.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "formats/dpm_json/dpm_json_tables.hpp"
#include "model/event.hpp"

namespace dpm {

class DpmJsonEvents {
 public:
  // `machine`: of events that do not name theirs.
  explicit DpmJsonEvents(std::string machine);
  ~DpmJsonEvents();

  // One event, or a list of them. The error says which event of the document is wrong, and how.
  Result<void> read(std::string_view document);
  // After the last read().
  Result<void> complete() { return tables_.complete(); }

  const TraceInfo& info() { return tables_.info(); }
  const std::vector<Event>& events() const { return events_; }
  bool any_cpu_time() const { return any_cpu_time_; }
  bool any_inferred() const { return any_inferred_; }

 private:
  struct Parser;
  struct Document;
  Result<void> add(const Document& json);
  Result<void> place(const Document& json, Event& event);
  Result<void> add_message(const Document& json, Event& event);
  Result<void> add_wait(const Document& json, Event& event);
  Result<void> add_summary(const Document& json, Event& event);
  Result<void> add_primitive(const Document& json, Event& event);

  std::unique_ptr<Parser> parser_;
  DpmJsonTables tables_;
  std::vector<Event> events_;
  std::vector<LocalTime> last_;  // by process
  std::map<std::tuple<ProcessId, ChannelId, EventType>, std::uint64_t> numbers_;
  bool any_cpu_time_ = false, any_inferred_ = false;
};

}  // namespace dpm
