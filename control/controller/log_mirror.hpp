// A copy of a filter's trace that grows while the filter writes it, made of the pieces that its machine sends. It neither waits
// nor asks: its owner asks for what is wanted() and gives the answers to take().
//
//     mirror.begin_round({});
//     while (!mirror.is_round_over()) mirror.take(... the answer about mirror.wanted() ...);
//
// A viewer reads the copy with TraceFollower while it grows, and must never see more of one file than another explains: events
// need names, and names need the machines that trace.json describes. A recorder writes in the order machines, names, events. So
// a round fetches in the opposite order, and writes in the recorder's:
//
//   fetched:  the state of the log; what follows in the stream files; what follows in names.jsonl; trace.json
//   written:  trace.json without its counts, which what has come may not reach; names; events
//
// What a round holds in memory is bounded; a log that grows faster comes in several rounds, and each stream has its turn. When
// two rounds have found the same, the copy is the trace, and has its trace.json. With --window the recorder removes segments and
// replaces names.jsonl, and so does the copy: it takes about as much disk as the trace. Names may be replaced between two pieces
// of them, or after the events that they explain have come: each piece tells which file it is of, and another one is fetched from
// its beginning.
//
// The folder is locked like the recorder's (trace/recording_lock.hpp) until the filter has ended and the copy has all of its trace.
// The machine is not trusted: names that lead elsewhere are refused, and so is what would fill the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "control/protocol/control_message.hpp"
#include "model/result.hpp"
#include "trace/recording_lock.hpp"
#include "trace/segment_name.hpp"

namespace dpm::control {

class LogMirror {
 public:
  static constexpr std::size_t kRoundBytesMax = 8 * 1024 * 1024;

  // `directory` is an empty folder of ours.
  explicit LogMirror(std::filesystem::path directory, std::size_t round_bytes_max = kRoundBytesMax)
      : directory_(std::move(directory)), round_bytes_max_(round_bytes_max) {}

  // `undelivered`: once the filter has ended, the text of undelivered.json, or "" if everything was delivered.
  void begin_round(std::optional<std::string> undelivered);
  bool is_round_over() const { return stage_ == Stage::none; }
  // More is there already: the next round need not wait.
  bool is_behind() const { return is_behind_; }
  // The copy can be opened.
  bool is_shown() const { return !shown_.empty(); }
  // The filter has ended, and the copy has all of its trace.
  bool is_complete() const { return is_complete_; }
  std::uint64_t bytes() const { return bytes_; }  // fetched

  struct Wanted {
    std::string file;  // empty: the state of the log
    std::uint64_t offset = 0;
  };
  Wanted wanted() const;
  // An error means that the copy cannot go on: the disk is full, or the machine breaks the rules.
  Result<void> take(const LogState& state);
  Result<void> take(const LogPiece& piece);
  // What was wanted is not there any more, or the machine does not answer. The next round asks for it again.
  void abandon_round();
  // The copy stays as it is: nothing more will come.
  void give_up() { lock_.release(); }

 private:
  enum class Stage { none, state, streams, names, description };
  struct Stream {
    bool is_there = false;
    std::uint64_t there_bytes = 0, written_bytes = 0;
    std::string held;  // fetched, and not written yet

    std::uint64_t fetched_bytes() const { return written_bytes + held.size(); }
  };
  struct Names {
    std::uint64_t identity = 0, there_bytes = 0, fetched_bytes = 0;
    bool is_there = false, is_whole = false, is_replaced = false;
    std::string held;
  };

  Result<void> find_trace(const std::vector<LogFile>& files);
  void note(const LogFile& file);
  void note_names(const LogFile& file);
  void begin_names_again(std::uint64_t identity);
  bool has_all() const;
  bool names_are_behind() const;
  void go_to(Stage stage);
  void go_to_next_stream();
  Result<void> take_events(const LogPiece& piece);
  Result<void> take_names(const LogPiece& piece);
  Result<void> take_description(const LogPiece& piece);
  Result<void> publish();
  Result<void> publish_names();
  Result<void> publish_events();
  Result<void> publish_whole();
  Result<void> show(const std::string& description);
  void forget_gone();
  Result<void> append(const std::string& name, std::string_view bytes);
  std::filesystem::path path_of(const std::string& name) const { return directory_ / name; }

  std::filesystem::path directory_;
  std::size_t round_bytes_max_;
  RecordingLock lock_;
  std::optional<std::string> prefix_;  // of the trace's files in the log: "trace/"
  Stage stage_ = Stage::none;
  std::optional<std::string> undelivered_;
  std::vector<LogFile> found_, found_before_;
  std::map<SegmentName, Stream> streams_;
  std::map<SegmentName, Stream>::iterator at_ = streams_.end();  // what is fetched now
  std::string turn_;                                             // the stream that was fetched last
  std::size_t left_ = 0, held_bytes_ = 0;
  Names names_;
  std::string part_;         // of trace.json
  std::string description_;  // trace.json, as it was fetched last
  unsigned torn_ = 0;        // how often it made no sense since it made sense
  std::string shown_;        // that of the copy
  bool is_behind_ = false, is_complete_ = false;
  std::uint64_t bytes_ = 0;
};

}  // namespace dpm::control
