#include "cli/meter/audit_run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "backends/linux/audit/comparison.hpp"
#include "backends/linux/audit/trace_counts.hpp"
#include "model/counted.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRowsOfAll = 24;  // a longer table has only the rows that are not equal
constexpr std::size_t kObjectsShown = 8;
constexpr std::size_t kFileBytesMax = 256 << 20;
constexpr const char* kFile = "/audit.json";
constexpr const char* kFailed = "failed";

std::string process_text(std::uint32_t pid, const std::string& name) { return fmt::format("{} ({})", name, pid); }

std::string way_text(audit::Way way) { return fmt::format("{} {}", to_string(way.carrier), to_string(way.direction)); }

std::string moved_text(const audit::Moved& moved, audit::Way way) {
  const std::uint64_t all = moved.bytes + moved.gap_bytes;
  const bool is_counter = way.carrier == audit::Carrier::eventfd;
  std::string text = is_counter ? counted(all, "unit") : fmt::format("{} B", all);
  if (has_datagrams(way.carrier)) text += fmt::format(" in {}", moved.operations);
  return text;
}

std::string verdict_text(const audit::MovedRow& row) {
  std::string text = to_string(row.verdict);
  if (row.verdict == audit::Verdict::differs) {
    const std::uint64_t told = row.trace.bytes + row.trace.gap_bytes, is = row.kernel.bytes;
    text = told == is
               ? fmt::format("differs in number: {} and {}", row.trace.operations, row.kernel.operations)
               : fmt::format("differs: {} {}", told < is ? is - told : told - is, told < is ? "missing" : "too many");
  }
  return row.reason.empty() ? text : text + ": " + row.reason;
}

std::string cpu_verdict_text(const audit::CpuRow& row) {
  return row.reason.empty() ? to_string(row.verdict) : fmt::format("{}: {}", to_string(row.verdict), row.reason);
}

std::string cpu_text(std::uint64_t ns) { return seconds_text(static_cast<double>(ns) * 1e-9); }

// One line for a process and a way; connections only where they differ.
std::string table_of(const audit::Comparison& found, int width) {
  const bool has_all = found.moved.size() + found.cpu.size() <= kRowsOfAll;
  TextTable table({"process", "what", ">trace", ">kernel", "~verdict"}, {}, 2);
  const auto is_shown = [has_all](audit::Verdict verdict) { return has_all || verdict == audit::Verdict::differs; };
  for (const audit::MovedRow& row : found.moved) {
    if (!is_shown(row.verdict)) continue;
    table.add_row({printable(process_text(row.pid, row.name)), way_text(row.way), moved_text(row.trace, row.way),
                   moved_text(row.kernel, row.way), verdict_text(row)});
    for (std::size_t at = 0; at < row.objects.size() && at < kObjectsShown; ++at) {
      const audit::MovedRow& object = row.objects[at];
      table.add_row({"", "  " + printable(object.name), moved_text(object.trace, row.way),
                     moved_text(object.kernel, row.way), verdict_text(object)});
    }
    if (row.objects.size() > kObjectsShown)
      table.add_row({"", fmt::format("  and {} more", row.objects.size() - kObjectsShown), "", "", ""});
  }
  for (const audit::CpuRow& row : found.cpu)
    if (is_shown(row.verdict))
      table.add_row({printable(process_text(row.pid, row.name)), "CPU time", cpu_text(row.trace_ns),
                     cpu_text(row.kernel_ns), cpu_verdict_text(row)});
  for (const audit::ConnectionRow& row : found.connections)
    if (row.verdict == audit::Verdict::differs)
      table.add_row({"TCP_INFO " + std::string(to_string(row.direction)), printable(row.name),
                     fmt::format("{} B", row.trace_bytes), fmt::format("{} B", row.kernel_bytes),
                     to_string(row.verdict)});
  return table.empty() ? "" : table.to_text(width);
}

Json moved_json(const audit::Moved& moved) {
  Json json = {{"bytes", moved.bytes}, {"operations", moved.operations}};
  if (moved.cut > 0) json["cut"] = moved.cut;
  if (moved.gap_bytes > 0) json["gap_bytes"] = moved.gap_bytes;
  return json;
}

Json row_json(const audit::MovedRow& row) {
  Json json = {{"pid", row.pid},
               {"process", row.name},
               {"carrier", to_string(row.way.carrier)},
               {"direction", to_string(row.way.direction)},
               {"trace", moved_json(row.trace)},
               {"kernel", moved_json(row.kernel)},
               {"verdict", to_string(row.verdict)}};
  if (!row.reason.empty()) json["reason"] = row.reason;
  for (const audit::MovedRow& object : row.objects)
    json["objects"].push_back(
        {{"object", object.name}, {"trace", moved_json(object.trace)}, {"kernel", moved_json(object.kernel)}});
  return json;
}

Json rows_json(const audit::Comparison& found) {
  Json json = {{"moved", Json::array()}, {"cpu", Json::array()}, {"connections", Json::array()}};
  for (const audit::MovedRow& row : found.moved) json["moved"].push_back(row_json(row));
  for (const audit::CpuRow& row : found.cpu) {
    json["cpu"].push_back({{"pid", row.pid},
                           {"process", row.name},
                           {"trace_s", static_cast<double>(row.trace_ns) * 1e-9},
                           {"kernel_s", static_cast<double>(row.kernel_ns) * 1e-9},
                           {"verdict", to_string(row.verdict)}});
    if (!row.reason.empty()) json["cpu"].back()["reason"] = row.reason;
  }
  for (const audit::ConnectionRow& row : found.connections)
    json["connections"].push_back({{"connection", row.name},
                                   {"direction", to_string(row.direction)},
                                   {"trace_bytes", row.trace_bytes},
                                   {"kernel_bytes", row.kernel_bytes},
                                   {"verdict", to_string(row.verdict)}});
  return json;
}

std::string status_text(int status) {
  return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                             : fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

AuditRun AuditRun::begin(std::uint32_t pid) {
  AuditRun run;
  if (auto kernel = audit::KernelCounter::begin(pid))
    run.kernel_ = *std::move(kernel);
  else
    run.no_kernel_ = kernel.error().what;
  if (auto sockets = audit::SocketCounter::begin())
    run.sockets_ = *std::move(sockets);
  else
    run.no_sockets_ = sockets.error().what;
  return run;
}

Result<void> AuditRun::end(const Recorded& recorded, bool cost_is_subtracted, const OutputFolder& folder,
                           Terminal& terminal) {
  audit::KernelSide kernel;
  std::vector<std::string> limits;
  if (sockets_) {
    auto totals = sockets_->end();
    kernel.connections = std::move(totals.connections);
    if (!totals.complete) limits.push_back("the kernel dropped announcements of closed sockets: not all were compared");
  } else {
    limits.push_back("no counts of TCP sockets: " + no_sockets_);
  }
  if (kernel_) {
    auto totals = kernel_->end();
    kernel.processes = std::move(totals.processes);
    if (!totals.counts_rings)
      limits.push_back("data that an io_uring moves through pipes is not counted on this kernel");
    if (totals.uncounted > 0)
      limits.push_back(fmt::format("the kernel's tables had no room for {}", counted(totals.uncounted, "object")));
  } else {
    limits.push_back("only TCP connections that ended were compared: " + no_kernel_);
  }
  const bool is_part = recorded.stopped || recorded.ledger.removed > 0;
  if (is_part)
    limits.push_back(fmt::format("nothing was compared: {}", recorded.stopped
                                                                 ? "metering was stopped while the program ran"
                                                                 : "--window has removed the beginning"));
  const auto trace = audit::count_trace(folder.trace());
  if (!trace) return trace.error();
  const audit::Comparison found =
      is_part ? audit::Comparison() : audit::compare(kernel, *trace, audit::Subtracted{cost_is_subtracted});
  const std::size_t equal = found.count(audit::Verdict::equal), differing = found.count(audit::Verdict::differs);
  const bool fails = differing > 0 && recorded.ledger.lost == 0;

  Json document = {{"verdict", fails           ? kFailed
                               : differing > 0 ? "differs, as the ledger says"
                                               : "agrees"},
                   {"equal", equal},
                   {"differing", differing},
                   {"not_compared", found.count(audit::Verdict::not_compared)},
                   {"lost", recorded.ledger.lost},
                   {"limits", limits}};
  document.update(rows_json(found));
  terminal.err << table_of(found, terminal.width);
  terminal.err << fmt::format("audit: {} of the trace equal the kernel's, {} differ, {} cannot be compared\n",
                              counted(equal, "sum"), differing, found.count(audit::Verdict::not_compared));
  for (const std::string& limit : limits) terminal.err << "audit: " << printable(limit) << '\n';
  return replace_file(folder.path() + kFile, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

bool has_failed(const OutputFolder& folder, int program_status, Terminal& terminal) {
  if (::access(folder.path().c_str(), F_OK) != 0) return false;  // nothing began
  const auto text = read_text_file(folder.path() + kFile, kFileBytesMax);
  const Json document = text ? Json::parse(*text, nullptr, false) : Json();
  std::string failure;
  if (!document.is_object()) {
    failure = "the audit was not made";
  } else if (document.value("verdict", "") == kFailed) {
    failure = "the ledger has no losses, but the counts of the kernel differ (audit.json)";
  }
  if (failure.empty()) return false;
  terminal.err << fmt::format("dpm meter: {}; the program itself {}\n", failure, status_text(program_status))
               << std::flush;
  return true;
}

}  // namespace dpm::cli
