#include "sampling/proc/sampled_process.hpp"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace dpm::sampling {
namespace {

std::optional<std::vector<std::uint32_t>> threads_of(std::uint32_t pid) {
  DIR* folder = ::opendir(fmt::format("/proc/{}/task", pid).c_str());
  if (folder == nullptr) return std::nullopt;
  std::vector<std::uint32_t> threads;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    std::uint32_t thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{}) threads.push_back(thread);
  }
  ::closedir(folder);
  return threads;
}

}  // namespace

// The number of threads is in each stat line, so their list is read only when it has changed.
SampledProcess::Found SampledProcess::look(DescriptorLookup& descriptors, std::string& buffer, bool stays_open) {
  Found found;
  bool has_listed = threads_.empty();
  if (has_listed && !list_threads(stays_open)) {
    found.gone = true;
    found.ending = 1;
    return found;
  }
  std::size_t ended = 0;
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    SampledThread& thread = *threads_[i];
    const Look look = thread.look(descriptors, buffer);
    if (look == Look::refused) {
      found.refused = true;
      return found;
    }
    if (look == Look::ending) ++found.ending;
    if (look == Look::done && is_another(thread.thread(), thread.stat())) return replaced();
    if (look == Look::done) {
      if (found.threads.empty()) set_stat(thread.stat());
      found.threads.push_back(&thread);
    } else {
      threads_[i].reset();
      ++ended;
    }
    // Once, at the end of the known ones: new ones come after them, and the loop goes on.
    if (i + 1 == threads_.size() && !found.threads.empty() && !has_listed && stat_.threads > threads_.size() - ended)
      has_listed = list_threads(stays_open);
  }
  std::erase(threads_, nullptr);
  found.gone = found.threads.empty();
  return found;
}

// Both lists are in the order in which threads began, so the known ones are found where the last search ended.
SampledProcess::Found SampledProcess::take(std::span<const TaskLook> threads, DescriptorLookup& descriptors) {
  if (std::ranges::any_of(threads, [&](const TaskLook& look) { return is_another(look.thread, look.stat); }))
    return replaced();
  Found found;
  std::vector<std::unique_ptr<SampledThread>> known = std::move(threads_);
  threads_.clear();
  auto next = known.begin();
  for (const TaskLook& look : threads) {
    const auto is_it = [&](const auto& thread) {
      return thread && thread->thread() == look.thread && thread->stat().start_ticks == look.stat.start_ticks;
    };
    auto place = std::find_if(next, known.end(), is_it);
    if (place == known.end()) place = std::find_if(known.begin(), next, is_it);
    const bool is_known = place != known.end() && is_it(*place);
    if (is_known) next = std::next(place);
    threads_.push_back(is_known ? std::move(*place) : std::make_unique<SampledThread>(pid_, look.thread, false));
    threads_.back()->take(look, descriptors);
    found.threads.push_back(threads_.back().get());
  }
  if (!threads_.empty()) set_stat(threads_.front()->stat());
  found.gone = threads_.empty();
  return found;
}

void SampledProcess::set_stat(const StatLine& stat) {
  stat_ = stat;
  if (stat_.terminal == 0)
    stat_.terminal = terminal_;
  else
    terminal_ = stat_.terminal;
}

// Its number is that of a later process.
SampledProcess::Found SampledProcess::replaced() {
  threads_.clear();
  return {.ending = 1, .gone = true};
}

bool SampledProcess::list_threads(bool stays_open) {
  const auto listed = threads_of(pid_);
  if (!listed) return false;
  for (const std::uint32_t thread : *listed) {
    const bool is_known = std::any_of(threads_.begin(), threads_.end(),
                                      [&](const auto& known) { return known && known->thread() == thread; });
    if (!is_known) threads_.push_back(std::make_unique<SampledThread>(pid_, thread, stays_open));
  }
  return true;
}

}  // namespace dpm::sampling
