#include "filter/event_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/check.hpp"
#include "trace/event_fields.hpp"

namespace dpm {

EventFilter::EventFilter(std::vector<RuleSet> rules, RecordSink& sink) : rules_(std::move(rules)), sink_(&sink) {
  DPM_CHECK(!rules_.empty());
}

void EventFilter::on_begin(const TraceInfo& info) {
  info_ = &info;
  sink_->on_begin(info);
}

void EventFilter::on_events(std::span<const Event> batch) {
  verdicts_.resize(batch.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Event& event = batch[i];
    const std::size_t layout = layout_index(event.type);
    DPM_CHECK(layout < kEventTypes.size());
    const std::uint16_t filter = rules_.size() == 1 ? std::uint16_t{0} : (*info_)[event.process].filter;
    DPM_CHECK(filter < rules_.size());
    const ClassIndex record_class = layout < rules_[filter].layouts()
                                        ? rules_[filter].match(layout, reinterpret_cast<const std::byte*>(&event))
                                        : kNotKept;
    verdicts_[i] = {filter, record_class};
    if (record_class != kNotKept) ++kept_;
  }
  received_ += batch.size();
  sink_->on_records(batch, verdicts_);
}

Ledger EventFilter::ledger_after(const LossReport& losses) const {
  Ledger ledger;
  ledger.kept = kept_;
  ledger.filtered = received_ - ledger.kept;
  ledger.losses = losses.losses;
  ledger.warnings = losses.warnings;
  ledger.lost = losses.lost();
  if (losses.seen > received_ + ledger.lost) {
    const std::uint64_t unexplained = losses.seen - received_ - ledger.lost;
    ledger.losses.push_back({"did not arrive at the filter, for reasons the source does not give", unexplained});
    ledger.lost += unexplained;
  }
  if (losses.seen < received_ + ledger.lost)
    ledger.warnings.push_back(fmt::format(
        "the source reports fewer events ({}) than arrived or were lost: its count was corrected", losses.seen));
  ledger.seen = received_ + ledger.lost;
  DPM_CHECK(ledger.balanced());
  return ledger;
}

void EventFilter::on_end(const LossReport& losses) {
  ledger_ = ledger_after(losses);
  sink_->on_end(ledger_);
}

TraceDescription describe_events(const std::vector<std::string>& filter_names, const std::vector<RuleSet>& rules) {
  DPM_CHECK(filter_names.size() == rules.size());
  std::size_t described = 0;
  for (const RuleSet& set : rules) described = std::max(described, set.layouts());
  const auto layouts = event_layouts().first(described);
  TraceDescription description{{layouts.begin(), layouts.end()}, {}};
  for (std::size_t i = 0; i < rules.size(); ++i)
    description.filters.push_back({filter_names[i], rules[i].text(), rules[i].classes()});
  return description;
}

}  // namespace dpm
