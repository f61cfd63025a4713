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
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"
#include "model/trace_growth.hpp"
#include "trace/files.hpp"

namespace dpm {

inline constexpr const char* kNamesJournalName = "names.jsonl";

class NamesJournal {
 public:
  // `known`: what trace.json describes.
  NamesJournal(std::string path, const TraceInfo& known) : path_(std::move(path)), told_(TableSizes::of(known)) {}

  // Every growth must be passed, in order: ids are assigned by counting. What could not be written stays unnamed.
  Result<void> append(const TraceGrowth& growth);

  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  std::uint64_t bytes_ = 0;
  TableSizes told_;
};

// Adds what came to a journal since the last look, as long as its lines can be read.
class NamesJournalReader {
 public:
  static Result<NamesJournalReader> open(const std::string& path);

  // A line that is not all there is read later. False: nothing more will be read, because a line makes no sense.
  bool read(TraceInfo& info);

 private:
  explicit NamesJournalReader(FileReader file) : file_(std::move(file)) {}
  FileReader file_;
  std::string unread_;  // the beginning of a line
  bool is_damaged_ = false;
};

// Adds the journal's entries to `info`. True if every line could be read; the last line of a killed recorder may be
// incomplete. Nothing is added after a line that cannot be read.
Result<bool> read_names_journal(const std::string& path, TraceInfo& info);

}  // namespace dpm
