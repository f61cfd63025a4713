#include "analysis/statistics/call_sites.hpp"

namespace dpm {

void CallSiteAnalysis::on_events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    const bool is_send = event.type == EventType::send;
    if (!is_send && event.type != EventType::receive) continue;
    if ((event.flags & event_flags::kNoMessage) != 0) continue;
    if (last_ == nullptr || last_->process != event.process || last_->pc != event.pc) {
      last_ = &sites_[{event.process, event.pc}];
      last_->process = event.process;
      last_->pc = event.pc;
    }
    ++(is_send ? last_->sent : last_->received);
    (is_send ? last_->sent_bytes : last_->received_bytes) += event.length_bytes;
  }
}

std::vector<CallSite> CallSiteAnalysis::result() const {
  std::vector<CallSite> sites;
  sites.reserve(sites_.size());
  for (const auto& [key, site] : sites_) sites.push_back(site);
  return sites;
}

}  // namespace dpm
