#include "view/blame_words.hpp"

#include <fmt/format.h>

#include "model/check.hpp"

namespace dpm::view {
namespace {

std::string rival_name(ProcessId process, const std::string& name, const TraceInfo& info) {
  return process.is_none() ? name : process_text(process, info);
}

std::string did(const BlameShare& share, const TraceInfo& info) {
  const bool named = share.has_rival();
  const std::string rival = rival_name(share.rival, share.rival_name, info);
  switch (share.part) {
    case BlamePart::cpu:
      return "ran";
    case BlamePart::cpu_queue:
      if (share.rival_name == kIdleCpu) return "was on its way to a free CPU";
      return named ? fmt::format("was in the queue of a CPU that {} had", rival) : "was in the queue of the CPU";
    case BlamePart::disk:
      return "waited for the disk";
    case BlamePart::lock:
      return named ? fmt::format("waited for a lock that {} released", rival) : "waited for a lock";
    case BlamePart::timer:
      return "waited for a time that it had chosen";
    case BlamePart::signal:
      return named ? fmt::format("waited for a signal that {} sent", rival) : "waited for a signal";
    case BlamePart::other:
      return "waited for something that the trace does not show";
    case BlamePart::on_its_way:
      return "had sent its message, which was on its way";
    case BlamePart::not_split:
      return "did what was not measured";
    case BlamePart::not_seen:
      return "was not metered";
    case BlamePart::not_followed:
      return "was not followed further";
  }
  DPM_CHECK(false);
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
      return "in the queue of the CPU";
    case BlamePart::disk:
      return "waits for the disk";
    case BlamePart::lock:
      return "waits for locks";
    case BlamePart::timer:
      return "waits for a time that it chose";
    case BlamePart::signal:
      return "waits for signals";
    case BlamePart::other:
      return "other waits";
    case BlamePart::on_its_way:
      return "the message was on its way";
    case BlamePart::not_split:
      return "not split: not measured";
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
  }
  DPM_CHECK(false);
}

std::string rival_text(const BlameRival& rival, const TraceInfo& info) {
  const std::string name = rival_name(rival.process, rival.name, info);
  if (rival.name == kIdleCpu) return "while the CPU was free, and woke up";
  if (rival.part == BlamePart::lock) return fmt::format("released by {}", name);
  if (rival.part == BlamePart::signal) return fmt::format("sent by {}", name);
  return fmt::format("while {} had it", name);
}

std::string share_text(const BlameShare& share, const TraceInfo& info) {
  const std::string process = process_text(share.process, info);
  if (!share.has_rival()) return fmt::format("{}: {}", process, part_text(share.part));
  const std::string rival = rival_name(share.rival, share.rival_name, info);
  if (share.rival_name == kIdleCpu) return fmt::format("{}: on its way to a free CPU", process);
  if (share.part == BlamePart::lock) return fmt::format("{}: waits for a lock that {} released", process, rival);
  if (share.part == BlamePart::signal) return fmt::format("{}: waits for a signal that {} sent", process, rival);
  return fmt::format("{}: in the queue of the CPU that {} had", process, rival);
}

std::string estimate_text(std::uint64_t samples) {
  return fmt::format("Estimated from {}; in brackets the 95 % intervals, for samples that are independent.",
                     samples == 1 ? "1 sample" : fmt::format("{} samples", samples));
}

std::string sentence(const BlameNode& root, const std::string& what, const TraceInfo& info) {
  const auto whole_ns = static_cast<double>(root.total_ns());
  const BlameWay way = longest_way(root);
  if (whole_ns <= 0 || way.processes.empty()) return "";
  const auto cause_ns = static_cast<double>(way.cause.time_ns);
  const std::string who = process_text(way.cause.process, info);
  if (way.processes.size() == 1)
    return fmt::format("for {:.1f} % of the time of {}, {} {}", cause_ns / whole_ns * 100, what, who,
                       did(way.cause, info));
  const auto waited_ns = static_cast<double>(way.waited_ns);
  std::string text = fmt::format("{:.1f} % of {} waits for {}", waited_ns / whole_ns * 100, what,
                                 process_text(way.processes[1], info));
  for (std::size_t i = 2; i < way.processes.size(); ++i)
    text += fmt::format(", and that for {}", process_text(way.processes[i], info));
  return text +
         fmt::format("; for {:.1f} % of that time, {} {}", cause_ns / waited_ns * 100, who, did(way.cause, info));
}

}  // namespace dpm::view
