#include "analysis/history/history_share.hpp"

#include <utility>

namespace dpm {
namespace {

std::uint64_t key_of(std::uint32_t process, std::uint32_t index) { return std::uint64_t{process} << 32 | index; }

}  // namespace

HistoryShare::HistoryShare(std::unique_ptr<HistoryBuild> build) : build_(std::move(build)) {
  for (std::size_t i = 0; i < build_->external_arcs.size(); ++i) {
    const ExternalArc& arc = build_->external_arcs[i];
    const std::uint32_t process = build_->external_owner[i].value;
    external_from_.emplace(key_of(process, arc.from), arc);
    external_ends_.emplace(key_of(process, arc.to), true);
  }
  lay_out_stretches();
}

void HistoryShare::lay_out_stretches() {
  std::vector<std::uint32_t> done(process_count());
  std::vector<bool> has_begun(process_count());
  const auto add = [&](std::uint32_t p, std::uint32_t end, bool ends) {
    stretches_.push_back({p, done[p], end, !has_begun[p], ends});
    event_count_ += end - done[p];
    done[p] = end;
    has_begun[p] = true;
  };
  for (const ReadMark& mark : build_->marks) add(mark.process, mark.events, false);
  for (std::uint32_t p = 0; p < process_count(); ++p)
    if (build_->processes[p].is_own && has_events(p)) add(p, traced_events(p), true);
}

const ExternalArc* HistoryShare::external_from(std::uint32_t process, std::uint32_t index) const {
  if (external_from_.empty()) return nullptr;
  const auto arc = external_from_.find(key_of(process, index));
  return arc == external_from_.end() ? nullptr : &arc->second;
}

bool HistoryShare::is_external_end(std::uint32_t process, std::uint32_t index) const {
  return !external_ends_.empty() && external_ends_.contains(key_of(process, index));
}

}  // namespace dpm
