// One program that uses the library, seen from the monitor: its file (libdpm/layout.hpp), read and written with system
// calls. A mapping would kill us where a program cuts its own file.
//
// A program may write anything there. What does not fit is counted as damage, and the records of that ring are given up.
#pragma once

#include <cstdint>
#include <dpm/monitor/layout.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

struct InstrumentedObject {
  monitor::Kind kind = monitor::Kind::kNone;
  std::string name, function;
  bool is_cut = false, is_signed = true;
};

struct InstrumentedLosses {
  std::uint64_t damaged = 0;          // records that could not be read
  std::uint64_t without_ring = 0;     // of threads beyond the library's limit
  std::uint32_t objects_refused = 0;  // by the program's full table
};

class InstrumentedProgram {
 public:
  // Nothing when the program has not finished making it yet. An error when it is of another version.
  static Result<std::optional<InstrumentedProgram>> open(int folder, const std::string& file_name);

  std::uint32_t pid() const { return pid_; }
  std::uint32_t parent() const { return parent_; }  // 0, or the process that forked it
  const std::string& program() const { return program_; }

  // Takes what the program has declared since the last call, and returns how many objects are new.
  std::size_t take_objects();
  std::span<const InstrumentedObject> objects() const { return objects_; }
  // From now on the object reports these actions, and no others.
  void want(std::size_t object, std::uint32_t actions);
  // The program need not wait any longer: `want` was called for all its objects.
  void answer();

  // Takes the records of all rings; those of one thread are in its order. They are valid until the next call.
  std::span<const monitor::Record> take_records();
  // How many records of this action the full rings have refused so far.
  std::uint64_t dropped(std::size_t object, monitor::Action action) const;
  InstrumentedLosses losses() const;

  // The program gave its lock back: it called exit, was killed, or executed another one.
  bool has_ended() const;

 private:
  InstrumentedProgram() = default;
  template <typename T>
  T at(std::size_t offset) const;
  void take_ring(std::uint32_t ring);
  bool is_record(const monitor::Record& record) const;

  UniqueFd file_;
  std::uint32_t pid_ = 0, parent_ = 0;
  std::string program_;
  std::vector<InstrumentedObject> objects_;
  std::vector<monitor::Record> records_;
  std::uint64_t damaged_ = 0;
  std::vector<std::uint64_t> read_;  // of each ring
};

}  // namespace dpm
