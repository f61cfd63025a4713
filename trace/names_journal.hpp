// names.jsonl: what the numbers in a trace stand for, written as it becomes known and never rewritten.
//
// A program in which processes and connections come and go names more and more things, and most of them have ended.
// What is in the journal need not be remembered, so the recorder's memory does not grow with the names, and its work is
// in proportion to what is new. One line is one JSON text as in the NAMES of a meter stream (meter_names.hpp); beside
// new entries it may contain what became known of earlier ones:
//
//   {"channels": [{"id": 7, "owner": null, "name": "tcp 10.0.0.1:80 > 10.0.0.2:4000", ...}]}
//   {"owners": [{"id": 7, "owner": 2}], "ends": [{"id": 7, "receiver": ["10.0.0.2", 4000, 0, 99]}]}
//
// When the recording ends, a journal of ordinary size is merged into trace.json, and removed.
//
// A recorder with a window writes its journal again from time to time, without what ended before the window
// (names_in_window.hpp); the file is replaced as a whole. Ids stay, and those of what is left out are skipped:
//
//   {"skipped": {"processes": 9, "channels": 120, "channel_sets": 61}}     the next process is number 9
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "model/trace_growth.hpp"
#include "trace/files.hpp"
#include "trace/name_ids.hpp"

namespace dpm {

inline constexpr const char* kNamesJournalName = "names.jsonl";

class NamesJournal {
 public:
  static constexpr std::size_t kRestBytesMax = 4 * 1024 * 1024;

  // `known`: what trace.json describes.
  NamesJournal(std::string path, const TraceInfo& known) : path_(std::move(path)), told_(TableSizes::of(known)) {}

  // Every growth must be passed, in order: ids are assigned by counting. What could not be written waits for the next time;
  // of more than kRestBytesMax, nothing is named.
  Result<void> append(const TraceGrowth& growth);
  Result<void> write_rest();

  // Replaces the file by one that describes less.
  Result<void> replace(const std::string& text);

  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  std::string rest_;  // what could not be written yet
  std::uint64_t bytes_ = 0;
  TableSizes told_;
};

// Adds what came to a journal since the last look, as long as its lines can be read.
class NamesJournalReader {
 public:
  // `known`: what trace.json describes.
  static Result<NamesJournalReader> open(const std::string& path, const TableSizes& known);

  // The recorder has replaced the file: it is read from its beginning, and rows that are known already are replaced.
  Result<void> reopen(const std::string& path);

  // A line that is not all there is read later. False: nothing more will be read, because a line makes no sense. What
  // events have used already is a row, `in_use`, also if the recorder has forgotten it since.
  bool read(TraceInfo& info, const TableSizes& in_use = {});

  bool is_at_line_end() const { return unread_.empty(); }
  const NameIds& ids() const { return ids_; }

 private:
  NamesJournalReader(FileReader file, const TableSizes& known) : file_(std::move(file)) { ids_.known = known; }
  bool take(std::string_view line, const TableSizes& in_use, TraceInfo& info);
  void skip(const TableSizes& next, const TableSizes& in_use, TraceInfo& info);

  FileReader file_;
  NameIds ids_;
  std::string unread_;  // the beginning of a line
  bool is_damaged_ = false;
  bool is_again_ = false;  // rows may come that are known
};

// Adds the journal's entries to `info`. True if every line could be read; the last line of a killed recorder may be
// incomplete. Nothing is added after a line that cannot be read. `ids` says which rows the ids of the trace are.
Result<bool> read_names_journal(const std::string& path, TraceInfo& info, NameIds& ids);

}  // namespace dpm
