#include "cli/input/trace_doubts.hpp"

#include <algorithm>

#include "cli/number_text.hpp"

namespace dpm::cli {

void Endings::on_events(std::span<const Event> batch) {
  for (const Event& event : batch) {
    if (event.process.is_none()) continue;
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

void Endings::on_end(const LossReport& /*losses*/) {
  const auto ended = std::count_if(processes_.begin(), processes_.end(), [](const Process& p) { return p.ended; });
  const bool simulated = info_->source == "sim";
  if (!endings_metered_ || (!simulated && ended > 0)) return;
  constexpr std::size_t kNamed = 5;
  std::size_t count = 0;
  for (std::size_t p = 0; p < processes_.size() && p < info_->processes.size(); ++p) {
    const Process& process = processes_[p];
    if (!process.seen || process.ended || ++count > kNamed) continue;
    not_ended_ += (not_ended_.empty() ? "'" : ", '") + info_->processes[p].name +
                  (process.waits ? "' waits for a message" : "' was at work");
  }
  if (count > kNamed) not_ended_ += " and " + std::to_string(count - kNamed) + " more";
}

TraceDoubts find_trace_doubts(const TraceInput& input, const History& history, const Endings& endings,
                              std::optional<double> clock_error) {
  TraceDoubts doubts;
  const Ledger& ledger = input.ledger;
  if (!endings.not_ended().empty())
    doubts.sentences.push_back("the program had not ended when the trace did (" + endings.not_ended() +
                               "): it was cut off, or its processes wait for each other; predicted is what happened "
                               "until then");
  if (history.circles > 0)
    doubts.sentences.push_back(
        "the trace contradicts itself: " + std::to_string(history.circles) +
        " messages are received before they are sent, and nothing waits for them in a prediction");
  if (ledger.lost == 0 && history.receives_without_send == 0) return doubts;
  std::string sentence;
  if (ledger.lost > 0) {
    const auto lost = static_cast<double>(ledger.lost), seen = static_cast<double>(ledger.seen);
    sentence = std::to_string(ledger.lost) + " of " + std::to_string(ledger.seen) + " events are lost (" +
               percent(lost / seen, 1) + ")";
    doubts.lost_T = seen > lost ? lost / (seen - lost) : 1;
    doubts.lost_elapsed = clock_error ? std::optional(std::max(*clock_error, *doubts.lost_T)) : std::nullopt;
    sentence += "; if they were like the others, T may be " + percent(*doubts.lost_T, 1) +
                " higher, and elapsed times " +
                (doubts.lost_elapsed ? percent(*doubts.lost_elapsed, 1) + " longer"
                                     : std::string("longer by what the trace does not know"));
  }
  if (history.receives_without_send > 0)
    sentence += std::string(sentence.empty() ? "" : "; ") + std::to_string(history.receives_without_send) +
                " messages have lost their SEND, and nobody waits for them in a prediction";
  doubts.sentences.push_back(std::move(sentence));
  return doubts;
}

}  // namespace dpm::cli
