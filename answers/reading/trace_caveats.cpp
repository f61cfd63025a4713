#include "answers/reading/trace_caveats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "text/number_text.hpp"

namespace dpm::cli {

void Endings::on_events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    if (event.process.is_none() || event.type == EventType::summary) continue;
    if (event.process.value >= processes_.size())
      processes_.resize(std::max<std::size_t>(info_->processes.size(), event.process.value + 1));
    Process& process = processes_[event.process.value];
    process.seen = true;
    if (event.type == EventType::message_queued) continue;  // it happens to the process
    process.waits = event.type == EventType::receive_call;
    process.ended |= event.type == EventType::destroy_process && (event.peer.is_none() || event.peer == event.process);
    endings_metered_ |= process.waits || process.ended;
  }
}

void Endings::give(ByteWriter& out) {
  out.put(processes_);
  out.put(endings_metered_);
}

void Endings::take(ByteReader& in) {
  std::vector<Process> there;
  in.get(there);
  processes_.resize(std::max(processes_.size(), there.size()));
  for (std::size_t p = 0; p < there.size(); ++p)
    if (there[p].seen) processes_[p] = there[p];
  endings_metered_ |= in.get<bool>();
}

void Endings::on_end(const LossReport& /*losses*/) {
  const auto ended = std::count_if(processes_.begin(), processes_.end(), [](const Process& p) { return p.ended; });
  if (!endings_metered_ || (!info_->properties.scripted && ended > 0)) return;
  constexpr std::size_t kNamed = 5;
  std::size_t count = 0;
  for (std::size_t p = 0; p < processes_.size() && p < info_->processes.size(); ++p) {
    const Process& process = processes_[p];
    if (!process.seen || process.ended || ++count > kNamed) continue;
    not_ended_ += fmt::format("{}'{}' {}", not_ended_.empty() ? "" : ", ", info_->processes[p].name,
                              process.waits ? "waits for a message" : "was at work");
  }
  if (count > kNamed) not_ended_ += fmt::format(" and {} more", count - kNamed);
}

TraceCaveats find_trace_caveats(const TraceInput& input, const History& history, const Endings& endings,
                                std::optional<double> clock_error) {
  TraceCaveats caveats;
  const Ledger& ledger = input.ledger;
  if (!endings.not_ended().empty())
    caveats.sentences.push_back(
        fmt::format("the trace ends before the program ({}): the program was cut off, or its processes wait for each "
                    "other; the prediction covers what happened until then",
                    endings.not_ended()));
  if (history.circles > 0)
    caveats.sentences.push_back(fmt::format(
        "the trace contradicts itself: {} messages are received before they are sent; a prediction does not wait for "
        "them",
        history.circles));
  if (ledger.lost == 0 && history.receives_without_send == 0) return caveats;
  std::string sentence;
  if (ledger.lost > 0) {
    const auto lost = static_cast<double>(ledger.lost), seen = static_cast<double>(ledger.seen);

    caveats.lost_T = seen > lost ? lost / (seen - lost) : 1;
    caveats.lost_elapsed = clock_error ? std::optional(std::max(*clock_error, *caveats.lost_T)) : std::nullopt;
    sentence = fmt::format(
        "{} of {} events are lost ({}); if they were like the others, T may be {} higher, and elapsed times longer by "
        "{}",
        ledger.lost, ledger.seen, percent(lost / seen, 1), percent(*caveats.lost_T, 1),
        caveats.lost_elapsed ? percent(*caveats.lost_elapsed, 1) : "an unknown amount");
  }
  if (history.receives_without_send > 0)
    sentence += fmt::format("{}the SENDs of {} messages are lost; a prediction does not wait for these messages",
                            sentence.empty() ? "" : "; ", history.receives_without_send);
  caveats.sentences.push_back(std::move(sentence));
  return caveats;
}

}  // namespace dpm::cli
