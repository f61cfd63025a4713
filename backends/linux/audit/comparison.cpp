#include "backends/linux/audit/comparison.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace dpm::audit {
namespace {

constexpr std::uint64_t kTickNs = 20'000'000;  // /proc has the beginning of a process to 10 ms

// The processes of one number, of both ledgers.
struct Pair {
  Process kernel, trace;
};

void add(Process& to, const Process& more) {
  if (to.name.empty()) to.name = more.name;
  if (to.pid == 0) to.pid = more.pid;
  if (more.cpu_ns) to.cpu_ns = to.cpu_ns.value_or(0) + *more.cpu_ns;
  for (const auto& [way, objects] : more.moved)
    for (const auto& [name, moved] : objects) to.moved[way][name] += moved;
}

// A number can be used again; then the later process belongs to the latest one that the kernel had begun by then. A trace may have two
// processes for one of the kernel's, when another thread than the first executes a program.
std::vector<Pair> paired(const std::vector<Process>& kernel, const std::vector<Process>& trace) {
  std::vector<Pair> pairs;
  std::map<std::uint32_t, std::vector<std::size_t>> by_pid;
  for (const Process& process : kernel) {
    by_pid[process.pid].push_back(pairs.size());
    pairs.push_back({process, {}});
  }
  for (const Process& process : trace) {
    const auto same = by_pid.find(process.pid);
    if (same == by_pid.end()) {
      pairs.push_back({{.pid = process.pid, .name = process.name}, process});
      continue;
    }
    std::size_t at = same->second.front();
    for (const std::size_t candidate : same->second)
      if (process.began_ns == 0 || pairs[candidate].kernel.began_ns <= process.began_ns + kTickNs) at = candidate;
    add(pairs[at].trace, process);
  }
  return pairs;
}

Moved sum(const Objects& objects) {
  Moved all;
  for (const auto& [name, moved] : objects) all += moved;
  return all;
}

const Objects& objects_of(const Process& process, Way way) {
  static const Objects none;
  const auto found = process.moved.find(way);
  return found == process.moved.end() ? none : found->second;
}

// Of a datagram that was cut, one source knows the length that the program got, and the other its whole length.
void judge(MovedRow& row) {
  const std::uint64_t told = row.trace.bytes + row.trace.gap_bytes;
  const bool same_number = !has_datagrams(row.way.carrier) || row.trace.operations == row.kernel.operations;
  if (row.kernel.cut > 0 && same_number && told >= row.kernel.bytes) {
    row.reason = "datagrams were cut: their number is compared";
    return;
  }
  if (told != row.kernel.bytes || !same_number) {
    row.verdict = Verdict::differs;
    return;
  }
  if (row.trace.gap_bytes > 0) row.reason = std::to_string(row.trace.gap_bytes) + " of the bytes are in GAPs";
}

std::vector<MovedRow> differing_objects(const MovedRow& row, const Objects& kernel, const Objects& trace) {
  std::map<std::string, MovedRow> objects;
  const auto place = [&](const std::string& name) -> MovedRow& {
    return objects.try_emplace(name, MovedRow{.pid = row.pid, .name = name, .way = row.way}).first->second;
  };
  for (const auto& [name, moved] : kernel) place(name).kernel = moved;
  for (const auto& [name, moved] : trace) place(name).trace = moved;
  std::vector<MovedRow> differing;
  for (auto& [name, object] : objects) {
    judge(object);
    if (object.verdict == Verdict::differs) differing.push_back(std::move(object));
  }
  return differing;
}

void compare_moved(const Pair& pair, std::vector<MovedRow>& rows) {
  std::set<Way> ways;
  for (const auto& [way, objects] : pair.kernel.moved) ways.insert(way);
  for (const auto& [way, objects] : pair.trace.moved) ways.insert(way);
  for (const Way way : ways) {
    const Objects &kernel = objects_of(pair.kernel, way), &trace = objects_of(pair.trace, way);
    MovedRow row = {
        .pid = pair.kernel.pid, .name = pair.kernel.name, .way = way, .trace = sum(trace), .kernel = sum(kernel)};
    if (way.carrier == Carrier::other) {
      row.verdict = Verdict::not_compared;
      row.reason = "no source records these";
    } else {
      judge(row);
      if (row.verdict == Verdict::differs) row.objects = differing_objects(row, kernel, trace);
    }
    rows.push_back(std::move(row));
  }
}

CpuRow compare_cpu(const Pair& pair, Subtracted subtracted) {
  CpuRow row = {.pid = pair.kernel.pid,
                .name = pair.kernel.name,
                .trace_ns = pair.trace.cpu_ns.value_or(0),
                .kernel_ns = pair.kernel.cpu_ns.value_or(0)};
  if (!pair.kernel.cpu_ns) {
    row.verdict = Verdict::not_compared;
    row.reason = "the kernel had not released it yet";
  } else if (is_same_cpu_time(row.trace_ns, row.kernel_ns)) {
    row.verdict = Verdict::equal;
  } else if (subtracted.any && row.trace_ns < row.kernel_ns) {
    row.verdict = Verdict::not_compared;
    row.reason = "the cost of notification is subtracted (--whole-cpu)";
  } else {
    row.verdict = Verdict::differs;
  }
  return row;
}

// By name and direction, of all processes together.
std::map<std::string, std::map<Direction, std::uint64_t>> told_of_connections(const std::vector<Process>& trace) {
  std::map<std::string, std::map<Direction, std::uint64_t>> told;
  for (const Process& process : trace)
    for (const auto& [way, objects] : process.moved)
      if (way.carrier == Carrier::tcp)
        for (const auto& [name, moved] : objects) told[name][way.direction] += moved.bytes + moved.gap_bytes;
  return told;
}

// SYN and FIN count as bytes, so that a last byte that is missing may be mistaken for one. So do urgent bytes, which a program may have
// taken apart from the others, or not at all.
bool is_counted(const Connection& counted, Direction direction, std::uint64_t told, std::uint64_t passed) {
  if (direction == Direction::received)
    return told <= counted.received && counted.received <= told + counted.sockets + passed;
  return told == counted.written ||
         (told <= counted.acknowledged && counted.acknowledged <= told + 2 * counted.sockets);
}

std::map<std::string, std::uint64_t> passed_on_connections(const KernelSide& kernel) {
  std::map<std::string, std::uint64_t> passed;
  if (!kernel.processes) return passed;
  for (const Process& process : *kernel.processes)
    for (const auto& [name, moved] : objects_of(process, {Carrier::tcp, Direction::received}))
      passed[name] += moved.passed;
  return passed;
}

void compare_connections(const KernelSide& kernel, const std::vector<Process>& trace,
                         std::vector<ConnectionRow>& rows) {
  auto passed = passed_on_connections(kernel);
  for (auto& [name, directions] : told_of_connections(trace)) {
    const auto found = kernel.connections.find(name);
    for (const Direction direction : {Direction::sent, Direction::received}) {
      const std::uint64_t told = directions[direction];
      ConnectionRow row = {name, direction, told, 0, Verdict::not_compared};
      if (found != kernel.connections.end()) {
        row.kernel_bytes = direction == Direction::sent ? found->second.written : found->second.received;
        row.verdict = is_counted(found->second, direction, told, passed[name]) ? Verdict::equal : Verdict::differs;
      }
      rows.push_back(std::move(row));
    }
  }
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal:
      return "equal";
    case Verdict::differs:
      return "differs";
    case Verdict::not_compared:
      break;
  }
  return "not compared";
}

bool is_same_cpu_time(std::uint64_t trace_ns, std::uint64_t kernel_ns) {
  constexpr std::uint64_t kLeastNs = 2'000'000;
  const std::uint64_t difference = trace_ns > kernel_ns ? trace_ns - kernel_ns : kernel_ns - trace_ns;
  return difference <= std::max(kLeastNs, kernel_ns / 100);
}

std::size_t Comparison::count(Verdict verdict) const {
  const auto has_it = [verdict](const auto& row) { return row.verdict == verdict; };
  return static_cast<std::size_t>(std::ranges::count_if(moved, has_it) + std::ranges::count_if(cpu, has_it) +
                                  std::ranges::count_if(connections, has_it));
}

Comparison compare(const KernelSide& kernel, const std::vector<Process>& trace, Subtracted subtracted) {
  Comparison result;
  if (kernel.processes)
    for (const Pair& pair : paired(*kernel.processes, trace)) {
      compare_moved(pair, result.moved);
      result.cpu.push_back(compare_cpu(pair, subtracted));
    }
  compare_connections(kernel, trace, result.connections);
  return result;
}

}  // namespace dpm::audit
