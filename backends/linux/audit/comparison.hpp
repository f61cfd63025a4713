// Two ledgers side by side: what the kernel counted, and what the trace has. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/audit/counts.hpp"

namespace dpm::audit {

enum class Verdict : std::uint8_t { equal, differs, not_compared };

const char* to_string(Verdict verdict);  // "equal"

// A process and a way, or one object of it.
struct MovedRow {
  std::uint32_t pid = 0;
  std::string name;  // of the process, or of the object
  Way way;
  Moved trace, kernel;
  Verdict verdict = Verdict::equal;
  std::string reason;             // why it is equal all the same, or cannot be compared; empty: nothing to add
  std::vector<MovedRow> objects;  // those that differ, if this row does
};

struct CpuRow {
  std::uint32_t pid = 0;
  std::string name;
  std::uint64_t trace_ns = 0, kernel_ns = 0;
  Verdict verdict = Verdict::equal;
  std::string reason;
};

// One end of a TCP connection. Not compared: the kernel has not announced its end.
struct ConnectionRow {
  std::string name;
  Direction direction = Direction::sent;
  std::uint64_t trace_bytes = 0, kernel_bytes = 0;
  Verdict verdict = Verdict::equal;
};

struct Comparison {
  std::vector<MovedRow> moved;
  std::vector<CpuRow> cpu;
  std::vector<ConnectionRow> connections;

  std::size_t count(Verdict verdict) const;
};

struct KernelSide {
  std::optional<std::vector<Process>> processes;  // none: this account may not count them
  Connections connections;                        // that have ended
};

// What the meter has left out of its CPU times on purpose.
struct Subtracted {
  bool any = false;
};

Comparison compare(const KernelSide& kernel, const std::vector<Process>& trace, Subtracted subtracted);

// Within 1 %, or 2 ms.
bool is_same_cpu_time(std::uint64_t trace_ns, std::uint64_t kernel_ns);

}  // namespace dpm::audit
