#include "backends/linux/calls/stream_position.hpp"

#include <algorithm>

#include "backends/linux/calls/flow_table.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kLengthMax = 0xffffffffu;

bool may_be_in_progress(const OpenOperation& operation, const MeteredThread* by) {
  return operation.thread != by && !operation.thread->ended && operation.thread->call_number == operation.call_number;
}

}  // namespace

void StreamPosition::finish(const OpenOperation& operation, std::uint64_t offset, std::uint64_t bytes) {
  MeteredThread& thread = *operation.thread;
  thread.closed(operation.end);
  if (operation.tells_other_end)
    for (const FlowEnd& end : thread.open_ends()) position_of(end).settle_transfer(operation, bytes);
  if (bytes == 0) {
    thread.cancel(operation.event);
    return;
  }
  const std::uint64_t number = bytes > operation.probable ? thread.delay(operation.event) : operation.event;
  if (Event* event = thread.event(number)) {
    event->sequence = offset;
    event->length_bytes = static_cast<std::uint32_t>(std::min(bytes, kLengthMax));
  }
  thread.finish(number);
}

// Several operations may be open: the call of one thread waits, and other threads take what comes. The stream's offset
// when the second operation began tells what the first had moved by then; if that is less than what was there for the
// first, it was still in progress. The first moved what the others cannot have moved.
std::uint64_t StreamPosition::moved_by_first(std::uint64_t offset) const {
  const OpenOperation& first = open_.front().operation;
  const std::uint64_t total = offset > next_ ? offset - next_ : 0;
  const std::uint64_t most = std::min(total, first.asked);
  if (open_.size() == 1) return most;
  std::uint64_t others = 0;  // the most that they can have moved
  for (std::size_t at = 1; at < open_.size() && others < total; ++at) others += open_[at].operation.asked;
  const std::uint64_t second_at = open_[1].operation.stood_at;
  const std::uint64_t seen = second_at > next_ ? second_at - next_ : 0;
  return std::min(most, std::max({seen, first.probable, others < total ? total - others : 0}));
}

StreamPosition::Gap StreamPosition::settle_at(std::uint64_t offset, const MeteredThread* by) {
  if (!seen_) {
    seen_ = true;
    next_ = offset;
    return {};
  }
  while (!open_.empty()) {
    if (may_be_in_progress(open_.front().operation, by)) return {};
    finish_first(offset);
  }
  return stand_at(offset);
}

StreamPosition::Gap StreamPosition::end_at(std::uint64_t offset) {
  while (!open_.empty()) finish_first(offset);
  return stand_at(offset);
}

void StreamPosition::finish_first(std::uint64_t offset) {
  const std::uint64_t moved = open_.front().known ? open_.front().bytes : moved_by_first(offset);
  open_.front().known = true;
  finish(open_.front().operation, next_, moved);
  next_ += moved;
  open_.pop_front();
}

StreamPosition::Gap StreamPosition::stand_at(std::uint64_t offset) {
  const Gap gap{next_, offset > next_ ? offset - next_ : 0};
  overstated_bytes_ += next_ > offset ? next_ - offset : 0;
  unchecked_ = 0;
  next_ = offset;
  return gap;
}

// Finishes the known operations at the front. Offsets are assigned in the order of the calls.
void StreamPosition::finish_known() {
  while (!open_.empty() && open_.front().known) {
    if (open_.front().accepted && open_.front().bytes > 0) ++unchecked_;
    finish(open_.front().operation, next_, open_.front().bytes);
    next_ += open_.front().bytes;
    open_.pop_front();
  }
}

void StreamPosition::settle(const MeteredThread* thread, std::uint64_t bytes) {
  seen_ = true;
  for (auto& entry : open_) {
    if (entry.operation.thread != thread || entry.known) continue;
    entry.known = true;
    entry.bytes = std::min(bytes, entry.operation.asked);
    break;
  }
  finish_known();
}

void StreamPosition::settle_by_waiting(std::uint64_t offset, bool is_certain) {
  while (!open_.empty()) finish_first(offset);
  if (!is_certain) ++unchecked_;
}

void StreamPosition::settle_transfer(const OpenOperation& other, std::uint64_t bytes) {
  Entry* const entry = find_entry(*other.thread, other.call_number);
  if (entry == nullptr || !entry->operation.told_by_other_end || entry->known) return;
  entry->known = true;
  entry->bytes = std::min(bytes, entry->operation.asked);
  finish_known();
}

void StreamPosition::settle_from_file(const MeteredThread& thread, std::uint64_t call_number, std::uint64_t bytes) {
  Entry* const entry = find_entry(thread, call_number);
  if (entry == nullptr || !awaits(*entry) || bytes > entry->operation.probable) return;
  entry->known = true;
  entry->bytes = bytes;
  finish_known();
}

StreamPosition::Entry* StreamPosition::find_entry(const MeteredThread& thread, std::uint64_t call_number) {
  const auto entry = std::ranges::find_if(open_, [&](const Entry& each) {
    return each.operation.thread == &thread && each.operation.call_number == call_number;
  });
  return entry == open_.end() ? nullptr : &*entry;
}

// What several have moved shows as their sum: each gets what it probably moved, and the first that can have moved more gets the rest.
bool StreamPosition::settle_shown(std::uint64_t offset) {
  std::uint64_t known = next_, most = 0;
  for (const Entry& entry : open_) {
    if (!entry.known && !entry.operation.shows_in_pipe) return false;
    known += entry.known ? entry.bytes : 0;
    most += entry.known ? 0 : std::min(entry.operation.asked, kLengthMax);
  }
  if (offset < known || offset - known > most) return false;
  std::uint64_t left = offset - known;
  for (Entry& entry : open_) {
    if (!awaits(entry)) continue;
    entry.bytes = std::min(entry.operation.probable, left);
    left -= entry.bytes;
  }
  for (Entry& entry : open_) {
    if (!awaits(entry)) continue;
    const std::uint64_t more = std::min(left, std::min(entry.operation.asked, kLengthMax) - entry.bytes);
    entry.bytes += more;
    left -= more;
    entry.known = true;
  }
  finish_known();
  return true;
}

void StreamPosition::await_pipe(const MeteredThread* thread) {
  for (Entry& entry : open_)
    if (entry.operation.thread == thread) entry.operation.shows_in_pipe |= !entry.known;
}

std::vector<OpenOperation> StreamPosition::unknown() const {
  std::vector<OpenOperation> operations;
  for (const Entry& entry : open_)
    if (!entry.known) operations.push_back(entry.operation);
  return operations;
}

bool StreamPosition::take_back(const MeteredThread* thread, std::uint64_t call_number) {
  const auto entry = std::find_if(open_.begin(), open_.end(), [&](const Entry& open) {
    return !open.known && open.operation.thread == thread && open.operation.call_number == call_number;
  });
  if (entry == open_.end()) return false;
  entry->known = true;
  entry->bytes = 0;
  finish_known();
  return true;
}

template <typename Chosen>
void StreamPosition::accept_chosen(std::uint64_t stream_end, Chosen&& chosen) {
  std::uint64_t offset = next_;
  for (auto& entry : open_) {
    const std::uint64_t left = stream_end > offset ? stream_end - offset : 0;
    if (!entry.known && chosen(entry.operation.thread)) {
      entry.known = true;
      entry.accepted = true;
      entry.bytes = entry.operation.guessed ? std::min(entry.operation.probable, left) : entry.operation.probable;
    }
    offset += entry.known ? entry.bytes : entry.operation.probable;
  }
  finish_known();
}

void StreamPosition::accept(const MeteredThread* thread, std::uint64_t stream_end) {
  accept_chosen(stream_end, [thread](const MeteredThread* by) { return by == thread; });
}

void StreamPosition::accept_all(std::uint64_t stream_end) {
  accept_chosen(stream_end, [](const MeteredThread*) { return true; });
}

void StreamPosition::accept_of_process(std::uint32_t pid, std::uint64_t stream_end) {
  accept_chosen(stream_end, [pid](const MeteredThread* by) { return by->pid() == pid; });
}

void StreamPosition::open(const OpenOperation& operation) {
  operation.thread->opened(operation.end);
  open_.push_back({operation});
}

const OpenOperation* StreamPosition::find(const MeteredThread* thread) const {
  for (const auto& entry : open_)
    if (entry.operation.thread == thread) return &entry.operation;
  return nullptr;
}

std::uint64_t StreamPosition::at_least() const {
  std::uint64_t offset = next_;
  for (const auto& entry : open_)
    if (entry.known || !entry.operation.guessed) offset += entry.known ? entry.bytes : entry.operation.probable;
  return offset;
}

std::uint64_t StreamPosition::expected() const {
  std::uint64_t offset = next_;
  for (const auto& entry : open_) offset += entry.known ? entry.bytes : entry.operation.probable;
  return offset;
}

}  // namespace dpm
