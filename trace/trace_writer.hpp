// Writes a trace directory: trace.json, and under ctf/ the metadata and one stream file per machine and filter. The
// format is docs/trace-format.md.
//
// What was written stays readable whatever happens to this process: packets are appended by one write(2) each, a stream
// is declared in the metadata before its first packet, and trace.json is replaced by rename. Records wait in memory
// until their packet is full (64 KB or 4096 records); flush() writes them at once. From create() to on_end() the writer
// holds the directory's lock (recording_lock.hpp).
//
// With a window, each stream is a sequence of segments (segment_name.hpp), and a segment is removed when all its records
// are older than the window. Older means older than the latest event, so that a program that falls silent keeps its last
// minute.
//
// Compressed, a packet on disk is shorter, and nothing else is different: what waits in memory is plain.
//
// The writer never stops the observation. When the disk refuses a packet its records are counted as lost, with the
// reason, and status() reports it. problem() reports it until there is room again, which each checkpoint() tries.
#pragma once

#include <memory>
#include <string>

#include "model/result.hpp"
#include "model/trace_growth.hpp"
#include "trace/record_sink.hpp"
#include "trace/trace_form.hpp"

namespace dpm {

class TraceWriter : public RecordSink, public GrowthSink {
 public:
  // Creates the directory (mode 0700, files 0600). Refuses a directory or file that exists; never overwrites.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& directory, TraceDescription description,
                                                     TraceForm form = {});
  ~TraceWriter() override;  // without on_end() the trace stays in state "recording"

  void on_begin(const TraceInfo& info) override;
  // For a source that keeps no tables: its names go to a journal (names_journal.hpp).
  void on_growth(const TraceGrowth& growth) override;

  // For descriptions whose layouts are event_layouts() or program_event_layouts().
  void on_records(std::span<const Event> events, std::span<const Verdict> verdicts) override;

  // For records of any layout: `record` is as long as its class's layout. `time` orders the stream and is raised to the
  // stream's last time if it runs backwards; the record's own time field is kept unchanged.
  void append(MachineId machine, Verdict verdict, LocalTime time, const std::byte* record);

  // Writes the records that wait in memory.
  void flush();

  // Writes these and the names known by now, so that a reader of a trace that is being recorded finds both.
  void checkpoint();
  // The same when no events are on their way: a reader then finds the trace complete, with this ledger.
  void checkpoint(const Ledger& so_far);

  // Writes the last packets and the final trace.json. Records this writer could not write are moved from kept to lost.
  void on_end(const Ledger& ledger) override;

  // The ledger as it is in trace.json, after on_end().
  const Ledger& ledger() const;

  // The first error of the directory.
  const Result<void>& status() const;

  // Why the directory takes nothing now; empty: it does.
  const std::string& problem() const;
  std::uint64_t refused() const;  // records, from the beginning

 private:
  struct State;
  explicit TraceWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm
