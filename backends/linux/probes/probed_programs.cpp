#include "backends/linux/probes/probed_programs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <utility>

#include "backends/linux/probes/program_files.hpp"

namespace dpm {
namespace {

std::uint64_t now_ns(clockid_t clock) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

std::string called_name(std::uint32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::string word;
  std::getline(file, word, '\0');
  return file_part(word);
}

std::string program_file_of(std::uint32_t pid) {
  std::error_code wrong;
  return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), wrong).string();
}

// In the order in which they were started, as far as their ids tell.
std::vector<std::uint32_t> running_processes() {
  std::vector<std::uint32_t> pids;
  std::error_code wrong;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", wrong)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos)
      pids.push_back(static_cast<std::uint32_t>(std::stoul(name)));
  }
  std::ranges::sort(pids);
  return pids;
}

}  // namespace

ProbedPrograms::ProbedPrograms(std::vector<Wanted> wanted, std::vector<std::string> paths, std::set<std::uint32_t> only)
    : wanted_(std::move(wanted)),
      paths_(std::move(paths)),
      only_(std::move(only)),
      reasons_(wanted_.size()),
      own_file_(program_file_of(static_cast<std::uint32_t>(::getpid()))) {
  bool are_all_with_library = true;
  for (const Wanted& event : wanted_) {
    if (event.program.empty() || files_.contains(event.program)) continue;
    are_all_with_library = uses_library(file_of(event.program)) && are_all_with_library;
  }
  if (are_all_with_library) return;
  if (may_look()) prepare_all();
  for (std::size_t event = 0; event < wanted_.size(); ++event) refuse(event);
}

void ProbedPrograms::expect(const std::string& program) {
  const std::string& file = file_of(program);
  if (uses_library(file) || !may_look() || file.empty()) return;
  prepare(file, program);
}

// "": it is not known yet. Processes of a program that nothing was wanted of before are looked for.
const std::string& ProbedPrograms::file_of(const std::string& program) {
  const auto [found, is_new] = files_.try_emplace(program);
  if (!is_new) return found->second;
  is_scanned_ = false;
  found->second = find_program_file(program, paths_);
  if (found->second.empty()) found->second = running_file(program);
  return found->second;
}

void ProbedPrograms::redefine(std::size_t event, Wanted wanted) {
  if (wanted_.size() <= event) {
    wanted_.resize(event + 1);
    reasons_.resize(event + 1);
  }
  forget(event);
  wanted_[event] = std::move(wanted);
  reasons_[event].clear();
  const std::string& program = wanted_[event].program;
  if (program.empty()) return;
  const std::string& file = file_of(program);
  if (uses_library(file)) return;
  if (!may_look()) return refuse(event);
  redefined_.insert(event);
  if (!file.empty()) prepare(file, program);
  if (!plan_again(event)) is_scanned_ = false;  // it may be in a library that a process has loaded since
}

// False: no program has a place for it, as far as is known.
bool ProbedPrograms::plan_again(std::size_t event) {
  bool has_place = false;
  for (auto& [key, image] : images_) {
    if (image.program != wanted_[event].program) continue;
    if (image.uses_library) {
      has_place = true;  // it tells the event itself
      continue;
    }
    if (image.probes) plan(image, *image.probes, event);
    for (auto& [files, probes] : image.loaded) plan(image, *probes, event);
    has_place = has_place || image.events.contains(event);
  }
  return has_place;
}

bool ProbedPrograms::uses_library(const std::string& file) {
  if (file.empty()) return false;
  const auto [known, is_new] = with_library_.try_emplace(file);
  if (is_new) known->second = ProgramProbes(file).uses_library();
  return known->second;
}

void ProbedPrograms::forget(std::size_t event) {
  for (auto& [key, image] : images_)
    if (image.events.erase(event) != 0) redefined_.insert(event);
  for (std::uint32_t number = 0; number < placed_.size(); ++number) {
    Placed& placed = placed_[number];
    if (std::erase(placed.events, event) == 0 || !placed.events.empty()) continue;
    kernel_->detach(number);
    numbers_.erase(placed.probe);
  }
}

bool ProbedPrograms::may_look() {
  if (kernel_) return true;
  if (!refusal_.empty()) return false;
  auto kernel = ProbeKernel::load();
  if (kernel)
    kernel_.emplace(*std::move(kernel));
  else
    refusal_ = kernel.error().what;
  return kernel_.has_value();
}

// Nothing where nothing was refused.
void ProbedPrograms::refuse(std::size_t event) {
  if (refusal_.empty() || wanted_[event].program.empty()) return;
  reasons_[event] = refusal_;
  const std::string& file = files_[wanted_[event].program];
  if (file.empty() || !complained_.insert(file).second || uses_library(file)) return;
  // What is not a program, an interpreter runs: it may use the library.
  if (ProgramProbes(file).is_readable())
    complaints_.push_back(fmt::format("{} does not use libdpm: {}", file_part(file), refusal_));
}

void ProbedPrograms::prepare_all() {
  for (const auto& [program, file] : files_)
    if (!file.empty()) prepare(file, program);
}

ProbedPrograms::Image& ProbedPrograms::prepare(const std::string& path, const std::string& program) {
  const auto [found, is_new] = images_.try_emplace(path + '\0' + program);
  Image& image = found->second;
  if (!is_new) return image;
  image.path = path;
  image.program = program;
  if (std::string& known = files_[program]; known.empty()) known = path;
  auto probes = std::make_unique<ProgramProbes>(path);
  image.uses_library = probes->uses_library();
  if (image.uses_library || !probes->is_readable()) return image;
  image.probes = std::move(probes);
  plan_all(image, *image.probes);
  return image;
}

// Looks for events that have no place yet in what this process has loaded by itself.
void ProbedPrograms::plan_loaded(Image& image, std::uint32_t process) {
  std::vector<std::string> files = mapped_files(process);
  if (image.probes && image.probes->has_all(files)) return;
  const auto [found, is_new] = image.loaded.try_emplace(std::move(files));
  if (is_new) found->second = std::make_unique<ProgramProbes>(found->first);
  const std::size_t before = image.events.size();
  plan_all(image, *found->second);
  if (image.events.size() != before) redefined_.insert(image.events.begin(), image.events.end());
}

void ProbedPrograms::plan_all(Image& image, ProgramProbes& probes) {
  for (std::size_t event = 0; event < wanted_.size(); ++event)
    if (wanted_[event].program == image.program) plan(image, probes, event);
}

void ProbedPrograms::plan(Image& image, ProgramProbes& probes, std::size_t event) {
  if (!probes.is_readable() || image.events.contains(event)) return;
  const Wanted& wanted = wanted_[event];
  auto plan = probes.plan(*wanted.action, wanted.object, wanted.function);
  if (!plan) {
    reasons_[event] = plan.error().what;
    return;
  }
  if (!plan->warning.empty()) complaints_.push_back(plan->warning);
  reasons_[event].clear();
  for (const Probe& probe : plan->probes) place(event, probe);
  if (reasons_[event].empty()) image.events.insert(event);
}

void ProbedPrograms::place(std::size_t event, const Probe& probe) {
  const auto [found, is_new] = numbers_.try_emplace(probe, static_cast<std::uint32_t>(placed_.size()));
  if (is_new) {
    placed_.push_back({probe, {}});
    if (auto attached = kernel_->attach(found->second, probe); !attached) {
      reasons_[event] = attached.error().what;
      numbers_.erase(found);
      return;
    }
  }
  auto& events = placed_[found->second].events;
  if (std::ranges::find(events, event) == events.end()) events.push_back(event);
}

std::string ProbedPrograms::program_of(const std::string& path, const std::string& called) const {
  for (const auto& [program, file] : files_)
    if ((program == called && path != own_file_) || program == file_part(path) || (!file.empty() && file == path))
      return program;
  return "";
}

// "": none runs.
std::string ProbedPrograms::running_file(const std::string& program) const {
  for (const std::uint32_t pid : running_processes()) {
    const std::string path = program_file_of(pid);
    if (!path.empty() && path != own_file_ && (file_part(path) == program || called_name(pid) == program)) return path;
  }
  return "";
}

void ProbedPrograms::take(const Uses& uses) {
  if (!kernel_) return;
  to_real_ns_ = static_cast<std::int64_t>(now_ns(CLOCK_REALTIME) - now_ns(CLOCK_MONOTONIC));
  if (!std::exchange(is_scanned_, true)) scan(uses);
  tell_redefined(uses);
  kernel_->take([&](const dpm_probe_record& record) { use(record, uses); });
}

void ProbedPrograms::tell_redefined(const Uses& uses) {
  if (redefined_.empty()) return;
  for (const auto& [pid, process] : processes_)
    uses.on_redefined(pid, redefined_, prepare(process.path, process.program).events);
  redefined_.clear();
}

void ProbedPrograms::scan(const Uses& uses) {
  for (const std::uint32_t pid : running_processes()) {
    if (!only_.empty() && !only_.contains(pid)) continue;
    const std::string path = program_file_of(pid);
    const std::string program = path.empty() ? "" : program_of(path, called_name(pid));
    if (program.empty()) continue;
    Image& image = prepare(path, program);
    if (image.uses_library) continue;
    plan_loaded(image, pid);
    const auto known = processes_.find(pid);
    if (known == processes_.end() || known->second.path != path) begin(program, pid, 0, path, uses);
  }
  scanned_ns_ = now_ns(CLOCK_MONOTONIC);
}

void ProbedPrograms::begin(const std::string& program, std::uint32_t process, std::uint32_t parent,
                           const std::string& path, const Uses& uses) {
  kernel_->want(process, true);
  processes_[process] = {program, path};
  uses.on_begin(program, process, parent, prepare(path, program).events);
}

void ProbedPrograms::use(const dpm_probe_record& record, const Uses& uses) {
  const auto known = processes_.find(record.process);
  switch (record.kind) {
    case dpm_probe_exec:
      if (known != processes_.end() && record.time_ns < scanned_ns_) return;
      return use_exec(reinterpret_cast<const dpm_probe_exec_record&>(record), uses);
    case dpm_probe_fork:
      if (const auto parent = processes_.find(record.probe); parent != processes_.end() && known == processes_.end()) {
        const Process of = parent->second;
        begin(of.program, record.process, record.probe, of.path, uses);
      }
      return;
    case dpm_probe_exit:
      processes_.erase(record.process);
      return;
    default:
      break;
  }
  if (known == processes_.end()) return kernel_->want(record.process, false);
  if (record.probe >= placed_.size()) return;
  const Placed& placed = placed_[record.probe];
  for (const std::size_t event : placed.events) {
    if (wanted_[event].program != known->second.program) continue;
    uses.on_hit({record.time_ns + static_cast<std::uint64_t>(to_real_ns_), event, record.process, record.thread,
                 probed_value(placed.probe, record.value)});
  }
}

void ProbedPrograms::use_exec(const dpm_probe_exec_record& record, const Uses& uses) {
  const std::uint32_t process = record.record.process;
  const bool was_known = processes_.erase(process) > 0;
  if (!only_.empty() && !was_known && !only_.contains(process)) return;
  const std::string called = file_part(record.path), file = record.file;
  std::string path = program_file_of(process);
  // Of a process that ended already only the names are known.
  if (path.empty() || file_part(path) != file) path = find_program_file(file, paths_);
  const std::string program = program_of(path.empty() ? file : path, called);
  if (program.empty() || path.empty()) return;
  const bool is_late = !images_.contains(path + '\0' + program);
  const Image& image = prepare(path, program);
  if (image.uses_library) return;
  if (is_late && !image.events.empty())
    complaints_.push_back(fmt::format(
        "{} (process {}) ran already when its file was found: its earlier actions are not seen", program, process));
  begin(program, process, 0, path, uses);
}

std::vector<std::string> ProbedPrograms::take_complaints() { return std::exchange(complaints_, {}); }

std::vector<std::uint32_t> ProbedPrograms::processes() const {
  std::vector<std::uint32_t> pids;
  for (const auto& [pid, process] : processes_) pids.push_back(pid);
  return pids;
}

std::vector<ProbedPrograms::Loss> ProbedPrograms::losses() const {
  std::vector<Loss> losses;
  if (!kernel_) return losses;
  for (const ProbeKernel::Loss& loss : kernel_->losses())
    losses.push_back({loss.process,
                      loss.probe < placed_.size() ? placed_[loss.probe].events : std::vector<std::size_t>{},
                      loss.records});
  return losses;
}

std::uint64_t ProbedPrograms::lost_otherwise() const { return kernel_ ? kernel_->lost_otherwise() : 0; }

}  // namespace dpm
