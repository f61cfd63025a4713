#include "backends/linux/calls/meter.hpp"

#include <algorithm>
#include <utility>

#include "backends/linux/calls/flow_names.hpp"

namespace dpm {
namespace {

constexpr std::size_t kAwaitingMost = 64;      // at one end of a pipe
constexpr std::int64_t kSendTakesNs = 20'000;  // before that, looking whether it is over is of little use

void note_user(const Call& call, Flow& flow, bool sending) {
  const EndUser user{call.thread->id(), call.thread->tid(), call.thread->call_number, call.descriptor};
  if (sending) {
    flow.sender = user;
    ++flow.sends;
  } else {
    flow.receiver = user;
    ++flow.receives;
  }
}

}  // namespace

void Meter::record_gap(const Call& call, const Flow& flow, bool sending, StreamPosition::Gap gap) {
  if (gap.length_bytes == 0) return;
  ++gaps_.ranges;
  gaps_.bytes += gap.length_bytes;
  Event event = recorder_.event_of(call, EventType::gap);
  event.channel = flow.channel;
  event.sequence = gap.offset;
  event.length_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(gap.length_bytes, UINT32_MAX));
  event.code = sending ? 0 : 1;
  event.evidence = Evidence::inferred;
  recorder_.record(call, event);
}

void Meter::operate(const Call& call, FlowEnd end, const Amount& amount, EventType type) {
  StreamPosition& position = position_of(end);
  note_user(call, *end.flow, end.sending);
  if (amount.offset) resolve_at(call, *end.flow, end.sending, *amount.offset);
  const bool is_told = end.flow->exact || amount.offset || amount.stands_beyond;
  const bool may_show_later = position.awaits_pipe() && position.open_operations() < kAwaitingMost;
  if (!is_told && !may_show_later) assume_probable(end, call.thread);  // its calls before this one are over
  Event event = recorder_.event_of(call, type);
  event.channel = end.flow->channel;
  if (!call.data_is_there) event.evidence = Evidence::inferred;  // the data came later than the event's time
  OpenOperation operation;
  operation.thread = call.thread;
  operation.end = end;
  operation.event = recorder_.record(call, event, false, end);
  operation.call_number = call.thread->call_number;
  operation.asked = amount.asked;
  operation.probable = amount.probable;
  operation.stood_at = amount.offset.value_or(amount.stands_beyond.value_or(0));
  operation.guessed = call.takes_all;
  operation.told_by_other_end = amount.told_by_other_end;
  operation.tells_other_end = amount.tells_other_end;
  operation.shows_in_pipe = amount.shows_in_pipe;
  operation.descriptor = call.descriptor;
  operation.first_argument = call.first_argument;
  position.open(operation);
  if (call.counted_in_io && !end.flow->exact) call.thread->counted = end;
}

void Meter::moved(const Call& call, Flow& flow, bool sending, const Told& told) {
  EndUser& user = sending ? flow.sender : flow.receiver;
  user = {call.thread->id(), call.thread->tid()};
  if (!sending) conversations_.reader_is(flow, call.thread->id());
  ToldOffset& end = sending ? flow.sent_told : flow.received_told;
  if (told.passed_urgent) end.pass_one();
  const ToldOffset::Placed placed = told.is_urgent ? ToldOffset::Placed{told.offset, 0}
                                                   : end.take(told.offset, told.bytes, call.now_ns, told.some_are_lost);
  record_gap(call, flow, sending, {placed.offset - placed.gap_bytes, placed.gap_bytes});
  Event event = recorder_.event_of(call, sending ? EventType::send : EventType::receive);
  event.channel = flow.channel;
  event.sequence = placed.offset;
  event.length_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(told.bytes, UINT32_MAX));
  recorder_.record(call, event);
  if (!told.is_urgent) position_of({&flow, sending}).begin_at(placed.offset + told.bytes);
}

void Meter::resolve_at(const Call& call, Flow& flow, bool sending, std::uint64_t offset) {
  StreamPosition& position = position_of({&flow, sending});
  record_gap(call, flow, sending, position.settle_at(offset, call.thread));
}

void Meter::passes_urgent(const Call& call, Flow& flow, std::uint64_t offset) {
  if (flow.received.expected() > offset) return;
  resolve_at(call, flow, false, offset);
  if (!flow.received.has_open()) flow.received.begin_at(offset + 1);
}

void Meter::takes_urgent(const Call& call, Flow& flow, std::uint64_t offset) {
  note_user(call, flow, false);
  conversations_.reader_is(flow, call.thread->id());
  asks_to_receive(call, &flow);
  Event event = recorder_.event_of(call, EventType::receive);
  event.channel = flow.channel;
  event.sequence = offset;
  event.length_bytes = 1;
  recorder_.record(call, event);
}

void Meter::closed(const ClosedSocket& closed, LocalTime time, std::int64_t now_ns) {
  const Socket* socket = conversations_.find(closed.cookie);
  if (socket == nullptr) return;
  if (socket->description.medium == Medium::udp) {
    const ChannelEnd name = end_named(Medium::udp, socket->description.local_name);
    const auto verdict = conversations_.accounts().close(name, socket->id, closed.unread_bytes);
    if (verdict) record_verdict(*verdict, time, now_ns);
    return;
  }
  if (socket->out == nullptr || !socket->out->exact || !closed.tcp) return;
  const std::uint64_t sent = sent_at_end(*closed.tcp, socket->description.syn_counted, socket->out->sent.expected());
  // A receive that was interrupted may have been expected to take more than its peer sent.
  const Flow& in = *socket->in;
  const std::uint64_t sent_to_it = in.sent.was_seen() ? in.sent.expected() : UINT64_MAX;
  const std::uint64_t received = received_at_end(*closed.tcp, std::min(in.received.expected(), sent_to_it));
  if (socket->out->sender_id == socket->id) end_at(*socket->out, true, sent, time, now_ns);
  if (socket->in->receiver_id == socket->id) end_at(*socket->in, false, received, time, now_ns);
}

void Meter::ends_are_missed(bool still_missed) {
  paths_.expect_ends(!still_missed);
  conversations_.accounts().give_up();
}

void Meter::end_at(Flow& flow, bool sending, std::uint64_t offset, LocalTime time, std::int64_t now_ns) {
  StreamPosition& position = position_of({&flow, sending});
  if (!position.was_seen()) return;
  record_last_gap(flow, sending, position.end_at(offset), time, now_ns);
}

void Meter::end_told(Flow& flow, bool sending, LocalTime time, std::int64_t now_ns) {
  ToldOffset& end = sending ? flow.sent_told : flow.received_told;
  const std::uint64_t missing = end.end();
  if (missing > 0) record_last_gap(flow, sending, {*end.next(), missing}, time, now_ns);
}

Call Meter::last_call_of(const EndUser& user, LocalTime time, std::int64_t now_ns) {
  Call call{.thread = user_of_end(user), .time = time, .now_ns = now_ns};
  if (call.thread != nullptr) return call;
  call.thread = processes_.find_ended(user.id);
  call.time = LocalTime{INT64_MIN};
  return call;
}

// The GAP is of the thread that used this end last. One that used the other end would seem to have both.
void Meter::record_last_gap(Flow& flow, bool sending, StreamPosition::Gap gap, LocalTime time, std::int64_t now_ns) {
  if (gap.length_bytes == 0) return;
  const Call call = last_call_of(sending ? flow.sender : flow.receiver, time, now_ns);
  if (call.thread != nullptr) return record_gap(call, flow, sending, gap);
  ++gaps_.ranges;
  gaps_.bytes += gap.length_bytes;
  gaps_.unplaced_bytes += gap.length_bytes;
}

// Only metered processes may use the other end: otherwise what waits says nothing.
bool Meter::settle_pipe(Flow& flow, std::uint64_t waiting) {
  const bool sends = flow.sent.awaits_pipe();
  if (flow.passed_by || (sends ? flow.received : flow.sent).has_unknown()) return false;
  if (!sends) {
    const std::uint64_t sent = flow.sent.expected();
    return flow.sends > 0 && sent >= waiting && flow.received.settle_shown(sent - waiting);
  }
  const bool is_received_by_others = flow.receives == 0 && waiting < flow.sent.next();
  return !is_received_by_others && flow.sent.settle_shown(flow.received.expected() + waiting);
}

void Meter::transferred(const Call& call, FlowEnd from, Flow& to) {
  if (!to.sent.is_open(*call.thread, call.thread->call_number)) assume_probable(from, call.thread);
}

bool Meter::may_move(const EndUser& user, const MeteredThread& but) {
  const MeteredThread* by = user_of_end(user);
  return by != nullptr && by != &but && !by->ended && by->call_number == user.call_number;
}

bool Meter::may_be_received_from(const Flow& flow) {
  const MeteredThread* by = user_of_end(flow.receiver);
  return by != nullptr && !by->ended && by->call_number == flow.receiver.call_number;
}

bool Meter::is_quiet(const Flow& flow, const MeteredThread& but) {
  return flow.sends > 0 && flow.receives > 0 && !may_move(flow.sender, but) && !may_move(flow.receiver, but);
}

bool Meter::take_back(MeteredThread& thread) {
  if (thread.moved_in_call != thread.call_number) return true;
  for (const FlowEnd& end : thread.open_ends())
    if (position_of(end).take_back(&thread, thread.call_number)) return true;
  return false;
}

void Meter::was_passed_by() {
  processes_.for_each([this](MeteredThread& thread) {
    if (const FlowEnd end = std::exchange(thread.counted, {}); end.flow != nullptr) assume_probable(end, &thread);
  });
  conversations_.were_passed_by();
  conversations_.accounts().give_up();
}

// The bytes of an open send may not be in the socket yet; they do not count as read.
void Meter::align(const Call& call, Flow& flow, std::uint64_t bytes_waiting) {
  const bool seen_to_be_sent = flow.sent.expected() > 0;
  if (!seen_to_be_sent) return;
  const std::uint64_t received = flow.received.expected(), sent = flow.sent.next();
  const std::uint64_t reads_at = std::max(received, sent > bytes_waiting ? sent - bytes_waiting : 0);
  flow.passed_by = flow.sent.has_open();
  flow.received.begin_at_zero();
  flow.sent.begin_at_zero();
  if (reads_at > received) resolve_at(call, flow, false, reads_at);
  if (reads_at + bytes_waiting > flow.sent.expected()) resolve_at(call, flow, true, reads_at + bytes_waiting);
}

void Meter::sends(const Call& call, Flow& flow, const Amount& amount) {
  operate(call, {&flow, true}, amount, EventType::send);
  if (flow.exact || call.counted_in_io) return;
  if (amount.told_by_other_end || amount.shows_in_pipe) return;
  if (amount.partial) {
    flow.partial = amount.partial;
    return;
  }
  // A blocking call sends all its bytes, and nothing will tell how much the others moved.
  flow.sent.accept(call.thread);
  note_send(call, flow, amount.probable, amount.moves_all);
}

void Meter::note_send(const Call& call, Flow& flow, std::uint64_t bytes, bool moves_all) {
  forget_sends(flow);
  flow.balance.add({.tid = call.thread->tid(),
                    .call_number = call.thread->call_number,
                    .bytes = bytes,
                    .first_argument = call.first_argument,
                    .since_ns = call.now_ns,
                    .look_at_ns = call.now_ns + kSendTakesNs},
                   moves_all);
}

// Only metered processes may receive there: otherwise what waits says nothing.
void Meter::settle_partial(Flow& flow, std::optional<std::uint64_t> waiting) {
  const PartialSend send = *std::exchange(flow.partial, std::nullopt);
  const std::uint64_t before = flow.sent.next(), received = flow.received.expected();
  if (waiting && (flow.receives > 0 || *waiting >= before)) {
    const std::uint64_t offset = std::clamp(received + *waiting, before, flow.sent.expected());
    return flow.sent.settle_by_waiting(offset, send.is_certain);
  }
  flow.sent.accept(send.by);
  flow.balance.add({.tid = send.tid,
                    .call_number = send.call_number,
                    .bytes = send.bytes,
                    .first_argument = send.first_argument,
                    .since_ns = send.since_ns,
                    .look_at_ns = send.since_ns + kSendTakesNs},
                   send.moves_all);
}

void Meter::forget_sends(Flow& flow) {
  flow.balance.forget([this](const StreamBalance::Send& send) {
    const MeteredThread* by = processes_.find(send.tid);
    return by == nullptr || by->ended || by->call_number != send.call_number;
  });
}

std::optional<StreamBalance::Received> Meter::received(Flow& flow, std::uint64_t waiting, bool ended) {
  forget_sends(flow);
  const std::uint64_t sent = flow.sent.next();
  const std::uint64_t known = flow.received.at_least();
  const auto received = flow.balance.received({sent, known, waiting, ended, flow.sent.expected() - sent});
  if (!received || received->bytes <= known || flow.received.has_open() || flow.counts_units) return received;
  flow.balance.give_up();  // no receive can have taken these bytes, so a send failed
  return std::nullopt;
}

void Meter::receives(const Call& call, Flow& flow, const Amount& amount) {
  conversations_.reader_is(flow, call.thread->id());
  operate(call, {&flow, false}, amount, EventType::receive);
  // If none of these holds, nothing will tell the length: the I/O counters do not count the call, and it is not known
  // how much was sent.
  const bool will_be_known = amount.offset || amount.stands_beyond || flow.exact || call.counted_in_io ||
                             call.takes_all || amount.told_by_other_end || amount.shows_in_pipe;
  if (!will_be_known) flow.received.accept(call.thread);
}

void Meter::sends_datagram(const Call& call, Flow& flow, const DatagramMark& mark) {
  note_user(call, flow, true);
  Event event = recorder_.event_of(call, EventType::send);
  event.channel = flow.channel;
  const MeteredThread& by = *call.thread;
  if (DatagramAccount* account = account_of(flow)) {
    account->sent({{by.id(), by.tid()}, by.call_number, flow.channel});
  } else {
    checks_.datagram();
  }
  event.sequence = ++flow.datagrams;
  event.length_bytes = static_cast<std::uint32_t>(mark.bytes);
  recorder_.record(call, event);
  if (flow.unreceived && !awaited_senders_.sent(flow.channel, mark.socket, by.id()))
    flow.unreceived->sent(by.id(), mark);
}

void Meter::receives_datagrams(const Call& call, Flow& flow, DatagramMark mark, std::uint64_t part_bytes) {
  if (part_bytes == 0) return receives_datagram(call, flow, mark);
  for (std::uint64_t left = mark.bytes; left > 0; left -= mark.bytes) {
    mark.bytes = std::min(left, part_bytes);
    receives_datagram(call, flow, mark);
  }
}

void Meter::receives_datagram(const Call& call, Flow& flow, const DatagramMark& mark) {
  note_user(call, flow, false);
  conversations_.reader_is(flow, call.thread->id());
  DatagramAccount* account = account_of(flow);
  if (account == nullptr) {
    checks_.datagram();
  } else if (flow.datagrams == 0) {
    account->received_from_outside();
  } else {
    account->received(flow.channel);
  }
  Event event = recorder_.event_of(call, EventType::receive);
  event.channel = flow.channel;
  event.length_bytes = static_cast<std::uint32_t>(mark.bytes);
  if (!call.data_is_there) event.evidence = Evidence::inferred;
  if (flow.unreceived) return record_from_sender(call, flow, event, mark);
  recorder_.record(call, event);
}

void Meter::record_from_sender(const Call& call, Flow& flow, Event received, const DatagramMark& mark) {
  const auto sender = flow.unreceived->take(mark);
  if (sender) received.peer = *sender;
  const bool may_show_later = !sender && mark.socket != 0;
  const std::uint64_t number = recorder_.record(call, received, !may_show_later);
  if (may_show_later) awaited_senders_.add({call.thread, number, flow.channel, mark.socket, call.now_ns});
}

// Datagrams to many receivers (multicast, broadcast) have no account.
DatagramAccount* Meter::account_of(const Flow& flow) {
  if (flow.to.port == 0 || is_group_address(flow.to.address)) return nullptr;
  return &conversations_.accounts().of(flow.to);
}

void Meter::looks_at(const Call& call, const Socket& socket, const DatagramMemory& memory) {
  const ChannelEnd name = end_named(Medium::udp, socket.description.local_name);
  if (name.port == 0) return;
  DatagramAccount::Sight sight;
  sight.by = {call.thread->id(), call.thread->tid()};
  sight.socket = socket.id;
  sight.dropped = memory.dropped;
  sight.waiting_bytes = memory.waiting_bytes;
  sight.is_connected = socket.description.connected;
  sight.is_older = processes_.was_acquired();
  conversations_.accounts().of(name).look(sight, [this](const DatagramAccount::Send& send) {
    const MeteredThread* by = processes_.find(send.by.tid, send.by.id);
    return by == nullptr || by->ended || by->call_number != send.call_number;
  });
}

void Meter::missed_datagrams(const Socket& socket) {
  const ChannelEnd name = end_named(socket.description.medium, socket.description.local_name);
  if (socket.description.medium == Medium::udp && name.port != 0) conversations_.accounts().of(name).give_up();
}

void Meter::record_verdict(const DatagramAccount::Verdict& verdict, LocalTime time, std::int64_t now_ns) {
  checks_.datagrams(verdict);
  const std::uint64_t count = verdict.lost + verdict.surplus;
  const Call call = last_call_of({verdict.by.id, verdict.by.tid}, time, now_ns);
  if (count == 0 || call.thread == nullptr || verdict.channel.is_none()) return;
  Event event = recorder_.event_of(call, EventType::gap);
  event.channel = verdict.channel;
  event.sequence = count;
  event.code = verdict.surplus > 0 ? 0 : 1;
  event.evidence = Evidence::inferred;
  recorder_.record(call, event);
}

void Meter::finish(LocalTime time, std::int64_t now_ns) {
  for (const auto& verdict : conversations_.accounts().finish()) record_verdict(verdict, time, now_ns);
  conversations_.for_each_flow([&](Flow& flow) {
    for (const bool sending : {true, false}) end_told(flow, sending, time, now_ns);
  });
  conversations_.check_all();
}

void Meter::adds_units(const Call& call, Flow& flow, std::uint64_t units) {
  note_user(call, flow, true);
  Event event = recorder_.event_of(call, EventType::send);
  event.channel = flow.channel;
  event.sequence = flow.sent.next();
  event.length_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(units, UINT32_MAX));
  recorder_.record(call, event);
  flow.sent.begin_at(flow.sent.next() + units);
  note_send(call, flow, units, true);
}

// Units that were not seen to be added are a GAP.
void Meter::takes_units(const Call& call, Flow& flow, const EventCounter& counter) {
  constexpr std::uint64_t kUnitsMax = std::uint64_t{1} << 62;
  const std::uint64_t sent = flow.sent.next(), seen = flow.received.expected() + counter.count;
  if (seen > sent) {
    record_gap(call, flow, true, {sent, seen - sent});
    flow.sent.begin_at(seen);
  }
  const std::uint64_t units = counter.is_semaphore ? std::min<std::uint64_t>(counter.count, 1) : counter.count;
  const std::uint64_t asked = counter.is_semaphore ? 1 : kUnitsMax;
  receives(call, flow, {asked, std::min(asked, units + flow.owed_units), flow.received.expected()});
  flow.owed_units = 0;
}

// A write that is being made may have been carried out before a read. If that is not known, the read gets what it took at least: it may be
// ahead of its length, and what it took too much counts for the next read, so that the sum is right.
void Meter::settle_units(const Call& call, Flow& flow, const StreamBalance::Received& received, std::uint64_t count) {
  const std::uint64_t most = flow.sent.next() - std::min(flow.sent.next(), count);
  if (flow.received.has_open()) {
    resolve_at(call, flow, false, received.bytes);
    flow.ahead_units = most - std::min(most, flow.received.expected());
    return;
  }
  const std::uint64_t taken = flow.received.next(), missing = received.bytes - std::min(received.bytes, taken);
  flow.owed_units = std::min(missing, flow.ahead_units);
  if (missing > flow.owed_units) resolve_at(call, flow, false, received.bytes - flow.owed_units);
}

void Meter::asks_to_receive(const Call& call, Flow* flow) {
  Event event = recorder_.event_of(call, EventType::receive_call);
  // A process that does not wait in the call has waited for all its channels before it (in epoll, poll or select).
  if (flow != nullptr && call.may_wait) event.code = conversations_.channel_set_of(*flow);
  recorder_.record(call, event);
}

void Meter::io_counters(MeteredThread& thread, const ThreadFiles::Transferred& transferred) {
  const FlowEnd end = std::exchange(thread.counted, {});
  const auto before = std::exchange(thread.transferred_before, transferred);
  if (end.flow == nullptr) return;
  const bool went_back = transferred.read_bytes < before.read_bytes || transferred.written_bytes < before.written_bytes;
  if (went_back) return assume_probable(end, &thread);  // of another thread, which has this thread's number now
  const std::uint64_t moved =
      end.sending ? transferred.written_bytes - before.written_bytes : transferred.read_bytes - before.read_bytes;
  const std::uint64_t calls = end.sending ? transferred.writes - before.writes : transferred.reads - before.reads;
  const OpenOperation* operation = position_of(end).find(&thread);
  const bool has_others = calls > 1 && operation != nullptr && operation->probable < moved;  // that are not notified
  if (has_others && end.flow->is_pipe) return position_of(end).await_pipe(&thread);
  if (has_others) return assume_probable(end, &thread);
  position_of(end).settle(&thread, moved);
}

std::optional<Meter::Unfinished> Meter::first_unfinished(const MeteredThread& thread, std::int64_t since_ns) const {
  if (thread.waiting() == 0 || thread.waiting_since_ns() > since_ns) return std::nullopt;
  const FlowEnd end = thread.first_waiting_end();
  const OpenOperation* operation = end.flow == nullptr ? nullptr : position_of(end).find(&thread);
  if (operation == nullptr || operation->event != thread.first_waiting()) return std::nullopt;
  return Unfinished{end, *operation};
}

std::vector<Meter::Unfinished> Meter::unfinished(std::int64_t since_ns) {
  std::vector<Unfinished> found;
  for (const MeteredThread* thread : recorder_.waiting())
    if (const auto first = thread->ended ? std::nullopt : first_unfinished(*thread, since_ns)) found.push_back(*first);
  paths_.give_up_old_connects(since_ns);
  return found;
}

void Meter::assume_probable(const Unfinished& unfinished) {
  assume_probable(unfinished.end, unfinished.operation.thread);
}

// No more can be received than was sent. If the sender was not seen, how much it sent is not known.
void Meter::assume_probable(FlowEnd end, const MeteredThread* thread) {
  const std::uint64_t sent = end.flow->sent.expected();
  position_of(end).accept(thread, end.sending || sent == 0 ? UINT64_MAX : sent);
}

// The thread has made no metered call since: the offset shows what the operation moved, and bytes that it cannot have
// moved passed the meter unseen.
void Meter::resolve_unfinished(const Unfinished& unfinished, std::uint64_t offset, LocalTime time,
                               std::int64_t now_ns) {
  const Call call{.thread = unfinished.operation.thread, .time = time, .now_ns = now_ns};
  resolve_at(call, *unfinished.end.flow, unfinished.end.sending, offset);
}

void Meter::executed(MeteredThread& thread, const std::string& name, const std::string& program, LocalTime time,
                     std::int64_t now_ns) {
  thread.counted = {};
  paths_.executed(thread.pid());
  processes_.executed({.thread = &thread, .time = time, .now_ns = now_ns}, name, program);
}

void Meter::summarises(std::vector<Event> summaries, std::uint16_t load, const Processes::Own& meter) {
  if (summaries.empty()) return;
  const ProcessId process = processes_.meter(meter);
  for (Event& event : summaries) {
    event.process = process;
    event.machine = MachineId{0};
    event.load = load;
    recorder_.output().ready.push_back(event);
  }
}

void Meter::ended(MeteredThread& thread, std::uint32_t exit_code, LocalTime time, std::int64_t now_ns) {
  thread.ended = true;
  recorder_.growth().ended.push_back(thread.id());
  leave(thread);
  const Call end{.thread = &thread, .time = time, .now_ns = now_ns};
  if (processes_.leave_process(thread)) paths_.process_ended(end);
  processes_.ended(end, exit_code);
}

void Meter::leave(MeteredThread& thread) {
  for (const auto& end : thread.open_ends()) assume_probable(end, &thread);
  paths_.leave(thread);
  awaited_senders_.leave(thread);
  hand_overs_.leave(thread);
}

void Meter::forget_ended() {
  processes_.forget_ended();
  if (!conversations_.has_removed()) return;
  processes_.for_each([](MeteredThread& thread) {
    if (thread.counted.flow != nullptr && thread.counted.flow->removed) thread.counted = {};
  });
  conversations_.free_removed();
}

}  // namespace dpm
