#include "control/controller/watch_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/controller/columns.hpp"
#include "control/controller/size_text.hpp"
#include "trace/trace_reader.hpp"

namespace dpm::control {

Outcome WatchCommand::watch(const Words& words) {
  if (words.empty()) return list();
  const auto filter = computation_.filter(words[0]);
  if (!filter) return console_.fail("watch: " + filter.error().what);
  const std::string& name = (*filter)->name;
  if ((*filter)->is_unadopted()) return console_.fail(fmt::format("watch: filter '{}' was not adopted", name));
  if (auto* watched = find(name)) {
    if (!watched->page->has_ended())
      return console_.fail(fmt::format("watch: filter '{}' is watched already: {}", name, watched->page->address()));
    std::erase_if(watched_, [&](const Watched& one) { return one.filter == name; });
  }
  if (!settings_.show) return console_.fail("watch: this program has no page");
  if (auto begun = begin(**filter); !begun)
    return console_.fail(fmt::format("watch: filter '{}': {}", name, begun.error().what));
  console_.say(fmt::format("filter '{}' is watched: {}", name, watched_.back().page->address()));
  return Outcome::done;
}

Result<void> WatchCommand::begin(const FilterRecord& filter) {
  if (filter.is_unreachable)
    return Error{fmt::format("machine {} is unreachable until a command reaches it again", filter.machine)};
  Watched watched{filter.name, nullptr, nullptr};
  std::string directory = filter.log;
  if (machines_.is_here(filter.machine)) {
    if (std::filesystem::is_regular_file(directory)) return Error{"its log is one file, and not a trace"};
    const auto is_there = [&] { return find_trace(directory).has_value(); };
    if (auto waited = await_trace(is_there, nullptr); !waited) return waited;
  } else {
    auto log = WatchedLog::begin(filter.name, machines_, computation_, settings_.scratch, settings_.every);
    if (!log) return log.error();
    watched.log = *std::move(log);
    directory = watched.log->folder();
    const auto is_there = [&] { return watched.log->copy().is_shown(); };
    if (auto waited = await_trace(is_there, watched.log.get()); !waited) return waited;
  }
  auto page = settings_.show(directory, fmt::format("filter {} on {}", filter.name, filter.machine));
  if (!page) return Error{"its page was not started: " + page.error().what};
  watched.page = *std::move(page);
  watched_.push_back(std::move(watched));
  return {};
}

// The standard filter begins its trace when it starts.
Result<void> WatchCommand::await_trace(const std::function<bool()>& is_there, const WatchedLog* log) {
  constexpr std::chrono::milliseconds kLook{100};
  const auto late = Clock::now() + settings_.patience;
  while (!is_there()) {
    const std::string problem = log == nullptr ? "" : log->problem();
    if (log != nullptr && log->is_over()) return Error{"its log cannot be shown: " + problem};
    if (Clock::now() >= late)
      return Error{problem.empty() ? "its log has no trace so far, and only a trace can be shown; 'getlog' fetches it"
                                   : "its log cannot be fetched: " + problem};
    if (machines_.wait(kLook) == Machines::Waited::interrupted) return Error{"interrupted"};
    reports_.show();
  }
  return {};
}

Outcome WatchCommand::unwatch(const std::string& filter) {
  if (find(filter) == nullptr)
    return console_.fail(fmt::format("unwatch: filter '{}' is not watched; 'watch' lists those that are", filter));
  std::erase_if(watched_, [&](const Watched& one) { return one.filter == filter; });
  console_.say(fmt::format("filter '{}' is no longer watched: its page has ended", filter));
  return Outcome::done;
}

void WatchCommand::end() {
  for (const auto& watched : watched_) console_.say(fmt::format("the page of filter '{}' ends", watched.filter));
  watched_.clear();
}

Outcome WatchCommand::list() {
  if (watched_.empty()) {
    console_.say("no filter is watched; 'watch <filtername>' shows one in a page");
    return Outcome::done;
  }
  std::vector<std::vector<std::string>> rows = {{"filter", "page", ""}};
  for (auto& watched : watched_)
    rows.push_back({watched.filter, watched.page->address(),
                    watched.page->has_ended() ? "the page was ended; 'watch' starts another" : remark(watched)});
  console_.say(columns(rows, 0));
  return Outcome::done;
}

std::string WatchCommand::remark(const Watched& watched) const {
  if (watched.log == nullptr) return "";
  const std::string copied = size_text(watched.log->copy().bytes()) + " copied";
  if (!watched.log->problem().empty()) return fmt::format("{}; {}", copied, watched.log->problem());
  return watched.log->is_over() ? copied + ", complete" : copied;
}

WatchCommand::Watched* WatchCommand::find(const std::string& filter) {
  const auto found =
      std::find_if(watched_.begin(), watched_.end(), [&](const Watched& one) { return one.filter == filter; });
  return found == watched_.end() ? nullptr : &*found;
}

}  // namespace dpm::control
