// The standard filter: reads meter messages as bytes, selects and reduces them by description and rules, and writes
// what it keeps to a trace directory. It has no knowledge of any system: everything about the messages comes from the
// description file.
//
// A message begins with the described header. If that has a field `size`, it is the length of the whole message;
// otherwise a message is as long as its event's description. A message that cannot be decoded is lost, and counted with
// the reason. After an impossible size, or an unknown type without a size, the beginning of the next message is not
// known: the filter stops there and counts the bytes that remain.
//
// The class does not read input itself; filter_meter_messages() does.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/descriptions.hpp"
#include "filter/rules.hpp"
#include "trace/trace_writer.hpp"

namespace dpm {

class StandardFilter {
 public:
  // `rules` are compiled for `descriptions.records`, and `writer` was created with describe_messages(). It must outlive
  // the filter.
  StandardFilter(Descriptions descriptions, RuleSet rules, TraceWriter& writer);

  // The next bytes, cut anywhere.
  void feed(std::span<const std::byte> bytes);

  std::uint64_t filtered() const { return filtered_; }  // so far

  // Writes what has come so far, so that a reader finds it.
  void checkpoint();

  // Call once, last: finishes the trace.
  void end();

  bool is_stopped() const { return !stop_reason_.empty(); }   // further bytes are only counted
  bool is_unfit() const;                                      // it holds bytes, and no message that is one: after end()
  std::string why_lost() const;                               // the first reason for which a whole message was
  const Ledger& ledger() const { return writer_->ledger(); }  // after end()

 private:
  std::size_t take_messages(std::span<const std::byte> bytes);
  void take_message(const RecordLayout& layout, std::size_t layout_number, std::span<const std::byte> message);
  Ledger ledger_so_far() const;
  bool is_possible_size(std::uint64_t bytes) const;
  bool can_be_message(std::span<const std::byte> beginning) const;
  void lose(const std::string& reason);
  void stop(const std::string& reason);
  MachineId machine_of(std::span<const std::byte> message);

  Descriptions descriptions_;
  RuleSet rules_;
  TraceWriter* writer_;
  TraceInfo info_;
  const RecordField* size_field_ = nullptr;
  const RecordField* type_field_ = nullptr;
  const RecordField* machine_field_ = nullptr;
  const RecordField* time_field_ = nullptr;
  std::map<std::uint64_t, std::size_t> layout_of_type_;
  std::map<std::uint64_t, MachineId> machines_;
  std::vector<std::byte> pending_;  // the beginning of a message whose end has not come yet
  std::uint64_t consumed_bytes_ = 0;
  std::uint64_t unread_bytes_ = 0;
  std::string stop_reason_;
  std::uint64_t kept_ = 0;
  std::uint64_t filtered_ = 0;
  std::uint64_t no_events_ = 0;  // messages of our own meters that are about events (trace/meter_stream.hpp)
  std::map<std::string, std::uint64_t> lost_;  // by reason
};

TraceDescription describe_messages(const Descriptions& descriptions, const RuleSet& rules);

// `dpm filter`: meter messages from a file descriptor, until its end, into a new trace directory. Without a templates
// file everything is kept. An error means that a file could not be parsed, the directory not created, or the input not
// read.
struct StandardFilterFiles {
  std::string descriptions;
  std::string templates;  // may be empty
  std::string directory;
  TraceForm form = {};  // a window counts when messages arrive
};
Result<Ledger> filter_meter_messages(const StandardFilterFiles& files, int input);

}  // namespace dpm
