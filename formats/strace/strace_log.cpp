#include "formats/strace/strace_log.hpp"

#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kHeldBytesMax = std::size_t{64} << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r>|";
  const auto begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

// A line that begins as those of strace do.
bool has_prefix(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("[pid")) return true;
  const auto end = text.find_first_not_of("0123456789.:");
  return end != std::string_view::npos && end > 0 && text[end] == ' ' && text.find_first_of("0123456789") == 0;
}

}  // namespace

bool StraceLog::take_notice(std::string_view text) {
  const bool may_be = text.ends_with("ached") || text.ends_with("parent)") || text.ends_with("ready)") ||
                      text.starts_with("Process ") || text.starts_with("strace: Process ");
  const auto notice = may_be ? find_notice(text) : std::nullopt;
  if (!notice) return false;
  if (notice->detached && processes().is_running(notice->tid)) {
    forget(notice->tid);
    processes().ended(notice->tid);
  }
  const std::string_view before = text.substr(0, notice->at);
  if (trimmed(before).empty()) return true;
  // "vfork(strace: Process 101 attached"; how the call goes on stands in another line.
  auto line = parse_strace_line(std::string(before) + " <unfinished ...>");
  if (!line) return false;
  const std::string whole = std::string(before) + " <unfinished ...>";
  line = parse_strace_line(whole);
  const std::int64_t time_ns = clock_.time_ns(*line);
  interrupted_ = number_of(*line);
  is_interrupted_ = true;
  act(*line, interrupted_, time_ns);
  return true;
}

bool StraceLog::continues(std::string_view text) {
  if (!is_interrupted_) return false;
  is_interrupted_ = false;
  if (trimmed(text).starts_with("<unfinished ...>")) return true;
  if (text.find(") = ") == std::string_view::npos && text.find(")  ") == std::string_view::npos) return false;
  if (parse_strace_line(text)) return false;
  const auto begun = unfinished_.find(interrupted_);
  if (begun == unfinished_.end()) return false;
  resume(interrupted_, begun->second.began_ns, begun->second.name, text);
  return true;
}

void StraceLog::take(std::string_view text, bool is_cut) {
  if (text.empty()) return;
  if (take_notice(text) || continues(text)) {
    ++lines_.of_strace;
    return;
  }
  if (text.starts_with("strace: ")) {
    ++lines_.of_strace;
    return;
  }
  const auto line = is_cut ? std::nullopt : parse_strace_line(text);
  if (!line) {
    if (is_stack_line(text))
      ++lines_.places;
    else
      ++(is_cut || has_prefix(text) ? lines_.broken : lines_.foreign);
    return;
  }
  ++lines_.of_strace;
  const std::int64_t time_ns = clock_.time_ns(*line);
  const std::uint32_t tid = number_of(*line);
  if (must_wait(*line, tid)) {
    auto [held, is_first] = held_.try_emplace(tid);
    if (is_first) held_order_.push_back(tid);
    held->second.push_back({std::string(text), time_ns});
    held_bytes_ += text.size() + sizeof(Held);
    if (held_bytes_ > kHeldBytesMax) release_all();
    return;
  }
  act(*line, tid, time_ns);
}

void StraceLog::end() { release_all(); }

std::uint32_t StraceLog::number_of(const StraceLine& line) {
  if (line.tid != 0) {
    if (processes().is_running(line.tid) || !processes().is_running(0)) return line.tid;
    const auto first = unfinished_.find(0);
    const bool goes_on =
        line.kind == StraceLineKind::resumed && first != unfinished_.end() && first->second.name == line.call;
    if (births_ > 0 && !goes_on) return line.tid;
    if (processes().last_ended(line.tid).is_none() || goes_on) {
      processes().is_first(line.tid);
      if (auto begun = unfinished_.extract(0)) {
        begun.key() = line.tid;
        unfinished_.insert(std::move(begun));
      }
      if (interrupted_ == 0) interrupted_ = line.tid;
      if (tid_ == 0) tid_ = line.tid;
    }
    return line.tid;
  }
  if (processes().running() == 1) return processes().only_one();
  if (line.kind == StraceLineKind::resumed)
    for (const auto& [tid, begun] : unfinished_)
      if (begun.name == line.call) return tid;
  return tid_;
}

bool StraceLog::must_wait(const StraceLine& line, std::uint32_t tid) const {
  return births_ > 0 && line.tid != 0 && !releasing_ && !translator_.processes().is_running(tid);
}

void StraceLog::act(const StraceLine& line, std::uint32_t tid, std::int64_t time_ns) {
  if (!line.command.empty()) processes().is_called(processes().at(tid), line.command);
  switch (line.kind) {
    case StraceLineKind::call:
    case StraceLineKind::unfinished:
      begin(line, tid, time_ns, line.kind == StraceLineKind::call);
      break;
    case StraceLineKind::resumed:
      resume(tid, time_ns, line.call, line.text);
      break;
    case StraceLineKind::exited:
      forget(tid);
      translator_.ended(tid, time_ns, line.code);
      break;
    case StraceLineKind::superseded:
      supersede(tid, line.code);
      break;
    case StraceLineKind::other:
      break;
  }
}

void StraceLog::begin(const StraceLine& line, std::uint32_t tid, std::int64_t time_ns, bool finished) {
  const auto kind = strace_call_kind(line.call);
  processes().at(tid);
  if (kind) translator_.begins(*kind, line.call, tid, time_ns, line.text);
  if (!finished) {
    forget(tid);
    unfinished_[tid] = {kind, std::string(line.call), kind ? std::string(line.text) : std::string(), time_ns};
    if (kind == StraceCallKind::create_process) ++births_;
  } else if (kind) {
    finish({*kind, line.call, tid, time_ns, time_ns, false, {}}, line.text);
  }
}

void StraceLog::resume(std::uint32_t tid, std::int64_t time_ns, std::string_view call, std::string_view text) {
  const auto begun = unfinished_.find(tid);
  if (begun == unfinished_.end() || begun->second.name != call) return;
  const Unfinished unfinished = std::move(begun->second);
  unfinished_.erase(begun);
  if (unfinished.kind == StraceCallKind::create_process) --births_;
  if (unfinished.kind) {
    const std::string whole = unfinished.text + std::string(text);
    finish({*unfinished.kind, unfinished.name, tid, unfinished.began_ns, time_ns, true, {}}, whole);
  }
  if (births_ == 0) release_all();
}

void StraceLog::finish(StraceCall call, std::string_view text) {
  const auto outcome = parse_outcome(text);
  if (!outcome) return;
  call.outcome = *outcome;
  if (outcome->duration_ns) {
    knows_durations_ = true;
    // Where only the order of lines is known, a duration would move the end behind lines that follow it.
    const bool is_exact = clock_.kind() != StraceTimeKind::none && clock_.kind() != StraceTimeKind::seconds;
    if (is_exact) call.ended_ns = call.began_ns + *outcome->duration_ns;
    call.end_known = true;
  }
  translator_.translate(call);
  if (call.kind == StraceCallKind::create_process && outcome->result > 0)
    release(static_cast<std::uint32_t>(outcome->result));
}

void StraceLog::forget(std::uint32_t tid) {
  const auto begun = unfinished_.find(tid);
  if (begun == unfinished_.end()) return;
  const bool was_birth = begun->second.kind == StraceCallKind::create_process;
  unfinished_.erase(begun);
  if (was_birth && --births_ == 0) release_all();
}

void StraceLog::supersede(std::uint32_t tid, std::uint32_t other) {
  const auto executes = [&](std::uint32_t thread) {
    const auto begun = unfinished_.find(thread);
    return begun != unfinished_.end() && begun->second.kind == StraceCallKind::execute;
  };
  if (!executes(tid) && !executes(other)) return;
  const std::uint32_t thread = executes(tid) ? tid : other, leader = thread == tid ? other : tid;
  auto begun = unfinished_.extract(thread);
  forget(leader);
  begun.key() = leader;
  unfinished_.insert(std::move(begun));
  processes().superseded(thread, leader);
}

void StraceLog::release(std::uint32_t tid) {
  const auto held = held_.find(tid);
  if (held == held_.end()) return;
  const std::vector<Held> lines = std::move(held->second);
  held_.erase(held);
  std::erase(held_order_, tid);
  for (const Held& each : lines) {
    held_bytes_ -= each.text.size() + sizeof(Held);
    if (const auto line = parse_strace_line(each.text)) act(*line, number_of(*line), each.time_ns);
  }
}

void StraceLog::release_all() {
  if (releasing_) return;
  releasing_ = true;
  while (!held_order_.empty()) release(held_order_.front());
  releasing_ = false;
}

}  // namespace dpm
