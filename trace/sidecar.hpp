// trace.json: what the numbers in the stream files stand for, and the ledger. Written when the trace is created (state
// "recording"), again whenever a stream is added or the tables have grown by half, and finally (state "finished"); each
// time as a whole, by rename, so that a reader finds the old one or the new one and never half of one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/ledger.hpp"
#include "model/result.hpp"
#include "model/trace_info.hpp"
#include "trace/name_ids.hpp"
#include "trace/record_class.hpp"

namespace dpm {

inline constexpr int kTraceFormatVersion = 2;
// What differs is that packets are compressed, which readers of version 2 would take for damage.
inline constexpr int kCompressedFormatVersion = 3;
// Has SUMMARY, which readers of versions 2 and 3 do not know; compressed or not.
inline constexpr int kSummaryFormatVersion = 4;
inline constexpr int kNewestTraceFormatVersion = kSummaryFormatVersion;
inline constexpr const char* kCompression = "zstd";
// Of version 1 only the fields READYTIME and DISKTIME are missing.
inline constexpr int kOldestTraceFormatVersion = 1;
inline constexpr const char* kSidecarName = "trace.json";
inline constexpr std::size_t kSidecarBytesMax = std::size_t{1} << 30;
inline constexpr const char* kStreamFolder = "ctf";

// What one stream file should hold. Of a trace with a window it is a segment (segment_name.hpp); one without records says
// by its name alone how many records of its stream were removed, and need not exist.
struct StreamSummary {
  std::string file;  // in kStreamFolder
  MachineId machine;
  std::uint16_t filter = 0;
  std::uint64_t records = 0;
};

struct Sidecar {
  bool finished = false;
  bool compressed = false;     // packets may be packed: packed_packet.hpp
  bool has_journal = false;    // names.jsonl describes what `info` does not: names_journal.hpp
  bool paused = false;         // not finished, and complete so far: no record was waiting when it was written
  std::int64_t window_ns = 0;  // what older records than this were removed; 0: none
  TraceInfo info;
  NameIds ids;  // of the journal, which may have gaps
  TraceDescription description;
  Ledger ledger;  // complete only when finished or paused
  std::vector<StreamSummary> streams;
  // Processes with records in more than one stream, which a reader must merge. Empty optional: not known, the reader
  // has to search.
  std::optional<std::vector<ProcessId>> split_processes;
};

std::string to_json(const Sidecar& sidecar);

// `path` names the text in messages. Every index in the result is checked: machines, filters, layouts, fields,
// channels.
Result<Sidecar> sidecar_from_json(const std::string& path, const std::string& text);

// The same text, of a trace whose packets are compressed or plain. All else stays, also what this program does not know.
Result<std::string> sidecar_compressed(const std::string& path, const std::string& text, bool compressed);

}  // namespace dpm
