#include "view/blame_words.hpp"

#include <fmt/format.h>

#include "model/check.hpp"

namespace dpm::view {
namespace {

std::string rival_name(ProcessId process, const std::string& name, const TraceInfo& info) {
  return process.is_none() ? name : process_text(process, info);
}

const char* did(BlamePart part) {
  switch (part) {
    case BlamePart::cpu:
      return "ran";
    case BlamePart::cpu_queue:
      return "waited in the run queue";
    case BlamePart::disk:
      return "waited for the disk";
    case BlamePart::lock:
      return "waited for locks";
    case BlamePart::timer:
      return "waited for its own timeout";
    case BlamePart::signal:
      return "waited for signals";
    case BlamePart::other:
      return "waited for something that the trace does not show";
    case BlamePart::on_its_way:
      return "had sent its message, which was in transit";
    case BlamePart::not_split:
      return "did something that was not measured";
    case BlamePart::not_sampled:
      return "was not sampled";
    case BlamePart::not_seen:
      return "was not metered";
    case BlamePart::not_followed:
      return "was not followed further";
  }
  DPM_CHECK(false);
}

std::string for_rival(const BlameRival& rival, const TraceInfo& info) {
  const std::string name = rival_name(rival.process, rival.name, info);
  if (rival.part == BlamePart::lock) return fmt::format("for one that {} released", name);
  if (rival.part == BlamePart::signal) return fmt::format("for one that {} sent", name);
  return rival_text(rival, info);
}

// "ran"; "waited for locks, 80.0 % of it for one that holder released"
std::string did_with_rival(const BlameCause& cause, const TraceInfo& info) {
  if (cause.rivals.empty()) return did(cause.part);
  const BlameRival& first = cause.rivals.front();
  return fmt::format("{}, {:.1f} % of it {}", did(cause.part),
                     static_cast<double>(first.time_ns) / static_cast<double>(cause.time_ns) * 100,
                     for_rival(first, info));
}

}  // namespace

std::string process_text(ProcessId process, const TraceInfo& info) {
  return process.value < info.processes.size() ? info[process].name : "a process outside";
}

const char* part_text(BlamePart part) {
  switch (part) {
    case BlamePart::cpu:
      return "its CPU time";
    case BlamePart::cpu_queue:
      return "run-queue wait";
    case BlamePart::disk:
      return "waits for the disk";
    case BlamePart::lock:
      return "waits for locks";
    case BlamePart::timer:
      return "waits for a timeout";
    case BlamePart::signal:
      return "waits for signals";
    case BlamePart::other:
      return "other waits";
    case BlamePart::on_its_way:
      return "the message was in transit";
    case BlamePart::not_split:
      return "not split: not measured";
    case BlamePart::not_sampled:
      return "not sampled";
    case BlamePart::not_seen:
      return "not metered then";
    case BlamePart::not_followed:
      return "not followed further";
  }
  DPM_CHECK(false);
}

std::string wait_text(const BlameNode& node, const TraceInfo& info) {
  const std::string name = process_text(node.process, info);
  switch (node.why) {
    case BlameWait::message:
      return "waits for " + name;
    case BlameWait::process_end:
    case BlameWait::thread_end:
      return "waits for the end of " + name;
    case BlameWait::signal:
      return "waits for a signal of " + name;
    case BlameWait::lock:
      return fmt::format("waits for a lock that {} released", name);
    case BlameWait::room:
      return fmt::format("waits for {} to read its data", name);
  }
  DPM_CHECK(false);
}

std::string rival_text(const BlameRival& rival, const TraceInfo& info) {
  const std::string name = rival_name(rival.process, rival.name, info);
  if (rival.name == kIdleCpu) return "while the CPU was free, and woke up";
  if (rival.part == BlamePart::lock) return fmt::format("released by {}", name);
  if (rival.part == BlamePart::signal) return fmt::format("sent by {}", name);
  return fmt::format("while {} had the CPU", name);
}

std::string cause_text(const BlameCause& cause, const TraceInfo& info) {
  return fmt::format("{}: {}", process_text(cause.process, info), part_text(cause.part));
}

std::string estimate_text(const BlameTree& tree) {
  const std::string samples = tree.samples == 1 ? "1 sample" : fmt::format("{} samples", tree.samples);
  const std::string covered = tree.root.of(BlamePart::not_sampled) == 0
                                  ? ""
                                  : fmt::format(", which cover {:.1f} % of the time", tree.covered() * 100);
  return fmt::format("Estimated from {}{}; in brackets the 95 % intervals, for samples that are independent.", samples,
                     covered);
}

std::string sentence(const BlameNode& root, const std::string& what, const TraceInfo& info) {
  const auto whole_ns = static_cast<double>(root.total_ns());
  const BlameWay way = longest_way(root);
  if (whole_ns <= 0 || way.processes.empty()) return "";
  const auto cause_ns = static_cast<double>(way.cause.time_ns);
  const std::string who = process_text(way.cause.process, info);
  if (way.processes.size() == 1)
    return fmt::format("for {:.1f} % of the time of {}, {} {}", cause_ns / whole_ns * 100, what, who,
                       did_with_rival(way.cause, info));
  const auto waited_ns = static_cast<double>(way.waited_ns);
  std::string text = fmt::format("{:.1f} % of {} waits for {}", waited_ns / whole_ns * 100, what,
                                 process_text(way.processes[1], info));
  for (std::size_t i = 2; i < way.processes.size(); ++i)
    text += fmt::format(", and that for {}", process_text(way.processes[i], info));
  return text + fmt::format("; for {:.1f} % of that time, {} {}", cause_ns / waited_ns * 100, who,
                            did_with_rival(way.cause, info));
}

}  // namespace dpm::view
