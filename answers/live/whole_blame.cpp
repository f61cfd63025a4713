#include "answers/live/whole_blame.hpp"

#include <algorithm>
#include <utility>

#include "answers/results/blame_groups.hpp"
#include "answers/sampling/count_page.hpp"
#include "answers/sampling/trace_samples.hpp"
#include "model/check.hpp"
#include "view/blame_words.hpp"
#include "view/figures_blame.hpp"
#include "view/report_json.hpp"

namespace dpm::cli {

using view::Json;

void WholeBlame::finish(const TraceInput& input) {
  input_ = &input;
  finder_.emplace(keeper_.events(), clocks_, input);
}

namespace {

const char* cause_text(BlameWait why) {
  switch (why) {
    case BlameWait::message:
      return "waits for messages";
    case BlameWait::process_end:
    case BlameWait::thread_end:
      return "waits for the end of processes";
    case BlameWait::signal:
      return view::part_text(BlamePart::signal);
    case BlameWait::lock:
      return view::part_text(BlamePart::lock);
    case BlameWait::room:
      return "waits for readers of its data";
  }
  DPM_CHECK(false);
}

// What the process itself did and waited for, which adds up to its time.
Json causes_json(const BlameNode& root) {
  std::vector<std::pair<std::string, std::int64_t>> causes;
  const auto add = [&](const char* cause, std::int64_t time_ns) {
    if (time_ns == 0) return;
    const auto known = std::find_if(causes.begin(), causes.end(), [&](const auto& one) { return one.first == cause; });
    if (known == causes.end())
      causes.emplace_back(cause, time_ns);
    else
      known->second += time_ns;
  };
  for (std::size_t part = 0; part < kBlameParts; ++part)
    add(view::part_text(static_cast<BlamePart>(part)), root.parts_ns[part]);
  for (const BlameNode& other : root.waits) add(cause_text(other.why), other.total_ns());
  Json json = Json::array();
  for (const auto& [cause, time_ns] : causes)
    json.push_back({{"cause", cause}, {"time_s", static_cast<double>(time_ns) * 1e-9}});
  return json;
}

}  // namespace

Result<Json> WholeBlame::blame(const BlameQuestion& question) const {
  if (!finder_) return Error{"the trace has not been read yet"};
  const auto found = finder_->find(question);
  if (!found) return found.error();
  if (!*found) return Error{"the trace has no events"};
  return blame_section_json(**found, input_->info);
}

Json blame_section_json(const BlameTree& tree, const TraceInfo& info) {
  const BlameGroups groups = group_blame(tree, info);
  view::Section section{"Where the time of " + tree.what + " went", "", view::blame_figures(groups.tree, groups.info)};
  if (tree.samples > 0)
    section.text = view::estimate_text(tree);
  else if (!tree.is_measured)
    section.text =
        "This trace does not have run-queue and disk waits: “dpm meter --source ebpf” records them, and “dpm meter "
        "--sample” records samples from which they are estimated.";
  return {{"of", tree.what}, {"causes", causes_json(tree.root)}, {"section", view::section_json(section)}};
}

Result<Json> WholeBlame::states() const {
  if (!finder_) return Error{"the trace has not been read yet"};
  const auto counts = samples_of_events(keeper_.events(), finder_->times_ns(), input_->info, "of the trace", 0, "");
  if (!counts) return counts.error();
  return states_json(*counts);
}

Json states_json(const sampling::CountArray& counts) {
  Json sections = Json::array();
  for (const auto& section : count_sections(counts, {.groups = sampling::single_states()}))
    sections.push_back(view::section_json(section));
  return {{"samples", counts.total().samples},
          {"source", counts.setup().source},
          {"interval_s", static_cast<double>(counts.setup().interval_ns) * 1e-9},
          {"sections", std::move(sections)}};
}

}  // namespace dpm::cli
