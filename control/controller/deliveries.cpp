#include "control/controller/deliveries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "control/controller/listed.hpp"
#include "model/counted.hpp"

namespace dpm::control {
namespace {

Undelivered described(const Job& job, const ProcessRecord& process) {
  const Delivery& delivery = process.delivery;
  return {process.machine,  job.name,         process.name,  process.pid,
          delivery.problem, delivery.waiting, delivery.lost, delivery.file};
}

Undelivered described(const RemovedDelivery& removed) {
  const Delivery& delivery = removed.delivery;
  return {removed.machine,  removed.job,      removed.process, removed.pid,
          delivery.problem, delivery.waiting, delivery.lost,   delivery.file};
}

std::string lost_text(const Undelivered& meter) {
  return meter.lost == 0 ? "" : fmt::format("; there was no room for {}", counted(meter.lost, "event"));
}

// "process A in job 'foo' on red: 12 events wait there (connect to blue port 4000: no answer)"
std::string sentence(const Undelivered& meter) {
  const std::string whose = fmt::format("process {} in job '{}' on {}: ", meter.name, meter.job, meter.machine);
  if (!meter.file.empty())
    return fmt::format("{}{} did not reach the filter{}; 'dpm filter -o TRACE < {}' there makes a trace of them", whose,
                       counted(meter.waiting, "event"), lost_text(meter), meter.file);
  return fmt::format("{}{} wait{} there ({}){}", whose, counted(meter.waiting, "event"), meter.waiting == 1 ? "s" : "",
                     meter.problem, lost_text(meter));
}

// "filter 'f1' on blue cannot write its log (No space left on device): 1728 events are lost so far"; empty: it writes all.
std::string unwritten_text(const FilterRecord& filter) {
  const Delivery& delivery = filter.delivery;
  if (delivery.problem.empty() && delivery.lost == 0) return "";
  const std::string whose = fmt::format("filter '{}' on {}", filter.name, filter.machine);
  const std::string events = counted(delivery.lost, "event");
  if (!delivery.problem.empty() && filter.ended.empty())
    return fmt::format("{} cannot write its log ({}): {} {} lost so far", whose, delivery.problem, events,
                       delivery.lost == 1 ? "is" : "are");
  return fmt::format("{} could not write {} to its log{}", whose, events,
                     delivery.problem.empty() ? "" : fmt::format(" ({})", delivery.problem));
}

}  // namespace

// ---- what is reported

std::string Deliveries::take(const std::string& machine, const DeliveryChanged& report) {
  if (report.job.empty()) {
    auto* filter = computation_.filter_at(machine, report.pid);
    return filter == nullptr ? "" : take(*filter, report.delivery);
  }
  const Job* job = nullptr;
  if (auto* process = computation_.process_at(machine, report.pid, &job)) {
    const bool was_cut_off = is_cut_off(machine, job->filter);
    process->delivery = report.delivery;
    return news(described(*job, *process), job->filter, was_cut_off);
  }
  const bool was_cut_off = is_cut_off(machine, report.filter);
  auto& removed = computation_.removed_deliveries();
  std::erase_if(removed, [&](const auto& one) { return one.machine == machine && one.pid == report.pid; });
  const RemovedDelivery now{report.filter, report.job, report.name, machine, report.pid, report.delivery};
  if (!report.delivery.problem.empty()) removed.push_back(now);
  return news(described(now), report.filter, was_cut_off);
}

std::string Deliveries::take(FilterRecord& filter, const Delivery& now) {
  const bool could_write = std::exchange(filter.delivery, now).problem.empty();
  if (could_write && !now.problem.empty())
    return fmt::format(
        "  UNWRITTEN: {}; make room on {}: 'files {}' lists logs and copies that DPM keeps there, 'removefiles' "
        "removes them",
        unwritten_text(filter), filter.machine, filter.machine);
  if (!could_write && now.problem.empty())
    return fmt::format("  WRITTEN: filter '{}' on {} writes its log again; the log lacks {}", filter.name,
                       filter.machine, counted(now.lost, "event"));
  return "";
}

// A machine that cannot reach a filter is told once, not for each of its processes.
std::string Deliveries::news(const Undelivered& now, const std::string& filter, bool was_cut_off) const {
  if (!now.file.empty() || now.lost > 0) return "  LEFT: " + sentence(now);
  if (!now.problem.empty() && !was_cut_off)
    return fmt::format(
        "  WAITING: process {} in job '{}' on {} does not reach filter '{}': {}; its events wait there{}", now.name,
        now.job, now.machine, filter, now.problem, remedy(now.machine, filter));
  if (now.problem.empty() && was_cut_off && !is_cut_off(now.machine, filter))
    return fmt::format("  REACHED: machine {} reaches filter '{}' again", now.machine, filter);
  return "";
}

std::string Deliveries::keep(const ProcessRecord& process) {
  const Job* job = nullptr;
  if (process.delivery.problem.empty() || computation_.process_at(process.machine, process.pid, &job) == nullptr)
    return "";
  computation_.removed_deliveries().push_back(
      {job->filter, job->name, process.name, process.machine, process.pid, process.delivery});
  if (!process.delivery.file.empty()) return "";
  return fmt::format(
      "{} of '{}' wait on {} for filter '{}': if it is not reached within a minute, they stay in a file there",
      counted(process.delivery.waiting, "event"), process.name, process.machine, job->filter);
}

// ---- what is missing

std::vector<Undelivered> Deliveries::of(const std::string& filter) const {
  std::vector<Undelivered> all;
  for (const auto& job : computation_.jobs())
    for (const auto& process : job.processes)
      if (job.filter == filter && !process.delivery.problem.empty()) all.push_back(described(job, process));
  for (const auto& removed : computation_.removed_deliveries())
    if (removed.filter == filter) all.push_back(described(removed));
  return all;
}

bool Deliveries::is_cut_off(const std::string& machine, const std::string& filter) const {
  const auto missing = of(filter);
  return std::any_of(missing.begin(), missing.end(),
                     [&](const auto& meter) { return meter.machine == machine && meter.file.empty(); });
}

std::string Deliveries::remark(const FilterRecord& filter) const {
  std::set<std::string> machines;
  std::uint64_t events = 0;
  for (const auto& meter : of(filter.name)) {
    machines.insert(meter.machine);
    events += meter.waiting;
  }
  std::string remark;
  if (!filter.delivery.problem.empty()) remark = "cannot write its log: ";
  if (!remark.empty() || filter.delivery.lost > 0) remark += counted(filter.delivery.lost, "event") + " lost";
  if (machines.empty()) return remark;
  return fmt::format("{}{}{} did not reach it from {}", remark, remark.empty() ? "" : "; ", counted(events, "event"),
                     listed({machines.begin(), machines.end()}));
}

Lines Deliveries::sentences(const FilterRecord& filter) const {
  Lines lines;
  if (const auto unwritten = unwritten_text(filter); !unwritten.empty()) lines.push_back(unwritten);
  std::set<std::string> cut_off;
  for (const auto& meter : of(filter.name)) {
    lines.push_back(sentence(meter));
    if (meter.file.empty()) cut_off.insert(meter.machine);
  }
  for (const auto& machine : cut_off) {
    const std::string what = remedy(machine, filter.name);
    if (!what.empty()) lines.push_back(fmt::format("{} does not reach filter '{}'{}", machine, filter.name, what));
  }
  return lines;
}

Lines Deliveries::sentences(const Job& job) const {
  Lines lines;
  for (const auto& filter : computation_.filters())
    if (const auto unwritten = unwritten_text(filter); filter.name == job.filter && !unwritten.empty())
      lines.push_back(unwritten);
  for (const auto& process : job.processes)
    if (!process.delivery.problem.empty()) lines.push_back(sentence(described(job, process)));
  return lines;
}

std::string Deliveries::remedy(const std::string& machine, const std::string& name) const {
  const auto filter = computation_.filter(name);
  if (!filter || !(*filter)->ended.empty() || (*filter)->is_unreachable || (*filter)->address.through_controller)
    return "";
  return fmt::format(
      ": let {} connect to port {} of {} ('filter ... --port N' chooses the port), or create a filter with "
      "--through controller",
      machine, (*filter)->address.port, (*filter)->machine);
}

}  // namespace dpm::control
