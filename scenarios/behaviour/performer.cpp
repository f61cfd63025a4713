#include "scenarios/behaviour/performer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "model/misuse.hpp"
#include "scenarios/behaviour/request_tag.hpp"

namespace dpm {
namespace {

constexpr std::size_t kNoProcess = static_cast<std::size_t>(-1);

// "'ask' or 'answer'"; the names of kinds are those of the file, each once.
std::string words_of(const KindNames& kinds) {
  constexpr std::size_t kMost = 5;
  std::vector<std::string> names;
  for (const KindName& kind : kinds) {
    if (kind.any) return "a message";
    if (std::find(names.begin(), names.end(), kind.name) == names.end()) names.push_back(kind.name);
  }
  std::string words;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i)
    words += fmt::format("{}'{}'", i == 0 ? "" : " or ", names[i]);
  if (names.size() > kMost) words += fmt::format(" or {} other kinds", names.size() - kMost);
  return words;
}

}  // namespace

Performer::Performer(const Behaviour& behaviour, const std::vector<std::string>& senders, MessageCalls& calls)
    : behaviour_(behaviour),
      senders_(senders),
      calls_(calls),
      variables_(behaviour.variables),
      memory_(behaviour.slots),
      subscribers_(behaviour.subscriptions) {
  KindNames handled;
  for (const Handler& handler : behaviour.handlers)
    handled.insert(handled.end(), handler.kinds.begin(), handler.kinds.end());
  awaited_by_handlers_ = words_of(handled);
  for (std::size_t i = 0; i < senders.size(); ++i) {
    links_from_.push_back(calls.link_from(senders[i]));
    sender_of_link_.emplace(links_from_.back(), i);
  }
}

void Performer::run() {
  Activity activity;
  activity.draws = &calls_.random();
  perform(behaviour_.start, activity);
  was_busy_ = !behaviour_.start.empty();
  while (!behaviour_.handlers.empty()) {
    calls_.set_awaited(awaited_by_handlers_);
    if (auto message = next_message())
      handle(*std::move(message));
    else
      be_idle();
    was_busy_ = true;
  }
}

void Performer::be_idle() {
  Activity activity;
  activity.draws = &calls_.random();
  perform(behaviour_.idle->steps, activity);
}

// ---- messages in

std::optional<Message> Performer::next_message() {
  if (behaviour_.queue) fill_queue();
  const bool full = behaviour_.admission.from != nullptr && admitted_ >= behaviour_.admission.at_most;
  const auto may_come = [&](const Message& message) { return !full || !is_from(message, behaviour_.admission.from); };
  const auto kept = std::find_if(deferred_.begin(), deferred_.end(), may_come);
  if (kept == deferred_.end()) {
    const auto& over = full ? links_not_limited() : no_links_;
    if (!behaviour_.idle) return calls_.receive_message(over);
    Activity activity;
    activity.draws = &calls_.random();
    const Duration most = Duration::from_seconds(drawn(behaviour_.idle->after, activity));
    return calls_.receive_message_until(calls_.deadline_in(most), over);
  }
  Message message = std::move(*kept);
  deferred_.erase(kept);
  return message;
}

void Performer::fill_queue() {
  do {
    while (auto message = calls_.a_receive_message()) keep(*std::move(message));
  } while (refuse_one());
}

// Messages that no handler takes are kept for a wait, and have no place in the queue.
bool Performer::refuse_one() {
  const std::uint64_t taken_at_once =
      was_busy_ ? 0 : 1;  // an idle process had waited for it, so it is not in the queue
  const std::uint64_t room = behaviour_.queue->at_most.value + taken_at_once;
  const std::uint64_t refused_at = behaviour_.queue->drops_oldest ? taken_at_once : room;
  std::uint64_t waiting = 0;
  auto refused = deferred_.end();
  for (auto message = deferred_.begin(); message != deferred_.end(); ++message) {
    if (handler_of(*message) == nullptr) continue;
    if (waiting++ == refused_at) refused = message;
  }
  if (waiting <= room) return false;
  Message message = std::move(*refused);
  deferred_.erase(refused);
  refuse(std::move(message));
  return true;
}

void Performer::refuse(Message message) {
  const std::uint64_t admitted = admitted_;  // refused messages are not among them, whatever answers they get
  Activity activity;
  perform_on(std::move(message), behaviour_.queue->steps, activity);
  open_calls_.forget(activity.tag.request, current(activity));
  admitted_ = admitted;
}

const std::vector<LinkIndex>& Performer::links_not_limited() {
  if (not_limited_.empty())
    for (std::size_t i = 0; i < senders_.size(); ++i)
      if (!lookup(behaviour_.admission.from).has_sender[i]) not_limited_.push_back(links_from_[i]);
  return not_limited_;
}

// The first that matches.
const Handler* Performer::handler_of(const Message& message) {
  for (const auto& handler : behaviour_.handlers)
    if (includes(handler.kinds, message.code) && is_from(message, handler.from.processes)) return &handler;
  return nullptr;
}

void Performer::handle(Message message) {
  const Handler* handler = handler_of(message);
  if (handler == nullptr && is_late(message)) return;
  if (handler == nullptr)
    throw Misuse{fmt::format("process '{}' has no handler for a message of code {} from '{}'", calls_.name(),
                             message.code, sender_name(message))};
  if (behaviour_.admission.from != nullptr && is_from(message, behaviour_.admission.from)) ++admitted_;
  Activity activity;
  perform_on(std::move(message), handler->steps, activity);
}

void Performer::perform_on(Message message, const Steps& steps, Activity& activity) {
  activity.handling = true;
  take(activity, std::move(message));
  Random of_request = Random::stream(activity.tag.draws, calls_.name());
  activity.draws = behaviour_.per_request ? &of_request : &calls_.random();
  perform(steps, activity);
  activity.draws = nullptr;
}

std::optional<Deadline> Performer::deadline_of(const Timeout& timeout, Activity& activity) {
  if (!timeout.after) return std::nullopt;
  return calls_.deadline_in(Duration::from_seconds(drawn(*timeout.after, activity)));
}

void Performer::give_up(const KindNames& kinds, const Activity& activity) {
  given_up_.give_up(kinds, activity.handling ? std::optional(activity.tag.request) : std::nullopt);
}

bool Performer::is_late(const Message& message) const {
  if (!behaviour_.gives_up) return false;
  const auto tag = decode_request_tag(message.data);
  return tag && given_up_.includes(message.code, tag->request);
}

void Performer::keep(Message message) {
  if (is_late(message) && handler_of(message) == nullptr) return;
  deferred_.push_back(std::move(message));
}

std::optional<Message> Performer::await(const KindNames& kinds, const Whom& from, std::optional<Deadline> deadline) {
  const auto wanted = [&](const Message& message) {
    return includes(kinds, message.code) && is_from(message, from.processes) && !is_late(message);
  };
  const auto kept = std::find_if(deferred_.begin(), deferred_.end(), wanted);
  if (kept != deferred_.end()) {
    Message message = std::move(*kept);
    deferred_.erase(kept);
    return message;
  }
  std::vector<LinkIndex> over;
  for (std::size_t i = 0; from.processes != nullptr && i < senders_.size(); ++i)
    if (lookup(from.processes).has_sender[i]) over.push_back(links_from_[i]);
  awaited_ = words_of(kinds);
  calls_.set_awaited(awaited_);
  for (;;) {
    auto message = deadline ? calls_.receive_message_until(*deadline, over) : calls_.receive_message(over);
    if (!message || wanted(*message)) return message;
    keep(*std::move(message));
  }
}

void Performer::take(Activity& activity, Message message) {
  std::optional<RequestTag> tag = decode_request_tag(message.data);
  if (!tag && !(activity.handling && activity.current)) {
    Random own =
        Random::stream(++untagged_, calls_.name());  // a request of its own, never drawn from the process's stream
    const std::uint64_t request = own.next();
    tag = RequestTag{request, own.next()};
  }
  if (tag) {
    activity.tag = *tag;
    activity.sent = 0;
  }
  if (message.reply_to) open_calls_.add(activity.tag.request, message);
  if (behaviour_.counts_outstanding) outstanding_.answered_by(sender_name(message));
  if (behaviour_.follows_requests) requesters_.sent(activity.tag.request, sender_index(message));
  activity.current = std::move(message);
}

const std::string& Performer::requester(const ProcessNames& names, const Activity& activity) {
  const auto& has_sender = lookup(names).has_sender;
  const auto latest = requesters_.latest(
      activity.tag.request, [&](std::size_t sender) { return sender != kNoProcess && has_sender[sender]; });
  if (latest) return senders_[*latest];
  throw Misuse{
      fmt::format("process '{}': no process of the group of '{}' has sent it a message of the request being handled",
                  calls_.name(), names->front())};
}

const Message& Performer::current(const Activity& activity) const {
  if (activity.current) return *activity.current;
  throw Misuse{fmt::format("process '{}' has no message to reply to or forward", calls_.name())};
}

std::size_t Performer::sender_index(const Message& message) const {
  const auto found = sender_of_link_.find(message.over);
  return found == sender_of_link_.end() ? kNoProcess : found->second;
}

std::string Performer::sender_name(const Message& message) const {
  const std::size_t index = sender_index(message);
  return index == kNoProcess ? "process " + std::to_string(message.sender.value) : senders_[index];
}

bool Performer::is_from(const Message& message, const ProcessNames& names) {
  if (names == nullptr) return true;
  const std::size_t index = sender_index(message);
  return index != kNoProcess && lookup(names).has_sender[index];
}

const Performer::Lookup& Performer::lookup(const ProcessNames& names) {
  const auto [entry, is_new] = lookups_.try_emplace(names.get());
  if (!is_new) return entry->second;
  const std::unordered_set<std::string_view> set(names->begin(), names->end());
  for (const auto& sender : senders_) entry->second.has_sender.push_back(set.count(sender) != 0);
  const auto self = std::find(names->begin(), names->end(), calls_.name());
  if (self != names->end()) entry->second.self_at = static_cast<std::size_t>(self - names->begin());
  return entry->second;
}

// ---- messages out

RequestTag Performer::next_tag(Activity& activity, bool begins_request) {
  if (!activity.handling && begins_request) {
    const std::uint64_t request = calls_.random().next();
    if (behaviour_.gives_up) given_up_.begun(request);
    return {request, request};
  }
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ull;
  return {activity.tag.request, Random(activity.tag.draws + kOdd * ++activity.sent).next()};
}

OutgoingMessage Performer::message_of(const KindName& kind, double bytes, bool begins_request, Activity& activity) {
  OutgoingMessage message;
  message.code = kind.code;
  message.length_bytes = static_cast<std::uint32_t>(std::min(bytes + .5, 4294967295.0));
  const RequestTag tag = next_tag(activity, begins_request);
  if (message.length_bytes >= kRequestTagBytes) message.data = encode(tag);
  return message;
}

double Performer::drawn(const Quantity& quantity, Activity& activity) {
  return draw(quantity, memory_[quantity.slot].deck, *activity.draws);
}

bool Performer::post(const Outgoing& outgoing, How how, Activity& activity, const Timeout* timeout) {
  const auto to = [&](const std::string& process) { return post_to(process, outgoing, how, activity, timeout); };
  const auto& list = outgoing.to.subscribers;
  if (outgoing.to.processes == nullptr && !list) return to(sender_name(current(activity)));
  const auto& names = list ? subscribers_[*list].names() : *outgoing.to.processes;
  // A group's member does not write to itself, unless it is named.
  const std::size_t self_at = list || outgoing.to.by_name ? kNoProcess : lookup(outgoing.to.processes).self_at;
  const std::size_t others = names.size() - (self_at == kNoProcess ? 0 : 1);
  const auto other = [&](std::size_t i) -> const std::string& { return names[i < self_at ? i : i + 1]; };
  if (others == 0) return true;
  const auto next_in_turn = [&] {
    const std::size_t at = memory_[outgoing.slot].at;
    return list ? subscribers_[*list].index_after(at) : at % others;
  };
  const auto had_its_turn = [&](std::size_t i) {
    memory_[outgoing.slot].at = list ? subscribers_[*list].number_of(i) : i + 1;
  };
  bool all_in_time = true;
  switch (outgoing.pick) {
    case Pick::random:
      return to(other(others == 1 ? 0 : activity.draws->below(others)));
    case Pick::in_turn: {
      const std::size_t next = next_in_turn();
      had_its_turn(next);
      return to(other(next));
    }
    case Pick::requester:
      return to(requester(outgoing.to.processes, activity));
    case Pick::least_outstanding: {
      // Of several alike, each in its turn.
      const std::size_t first = next_in_turn();
      std::size_t least = first;
      for (std::size_t i = (first + 1) % others; i != first; i = (i + 1) % others)
        if (outstanding_.of(other(i)) < outstanding_.of(other(least))) least = i;
      had_its_turn(least);
      return to(other(least));
    }
    case Pick::by_key:
      return to(other(key_of(outgoing, activity) % others));
    case Pick::all:
      for (std::size_t i = 0; i < others; ++i) all_in_time = to(other(i)) && all_in_time;
      break;
  }
  return all_in_time;
}

std::uint64_t Performer::key_of(const Outgoing& outgoing, Activity& activity) {
  if (!outgoing.key) return activity.tag.request;
  return static_cast<std::uint64_t>(std::min(drawn(*outgoing.key, activity), kLargestExactNumber));
}

bool Performer::post_to(const std::string& process, const Outgoing& outgoing, How how, Activity& activity,
                        const Timeout* timeout) {
  const auto link = calls_.link_to(process);
  note_answer(process);
  const double bytes = outgoing.same_bytes ? current(activity).length_bytes : drawn(outgoing.bytes, activity);
  const OutgoingMessage message = message_of(outgoing.kind, bytes, how != How::forward, activity);
  if (behaviour_.counts_outstanding && how != How::call) outstanding_.sent_to(process);
  if (how == How::call)
    return call(link, message, outgoing.kind, timeout == nullptr ? std::nullopt : deadline_of(*timeout, activity));
  calls_.send_message(link, message);
  return true;
}

bool Performer::call(LinkIndex to, const OutgoingMessage& message, const KindName& kind,
                     std::optional<Deadline> deadline) {
  awaited_ = words_of({kind});
  calls_.set_awaited(awaited_);
  if (deadline) return calls_.call_until(*deadline, to, message).has_value();
  calls_.call(to, message);
  return true;
}

void Performer::post_to(const std::string& process, const KindName& kind, const Quantity& bytes, Activity& activity) {
  const auto link = calls_.link_to(process);
  note_answer(process);
  calls_.send_message(link, message_of(kind, drawn(bytes, activity), true, activity));
}

// A process that is written to has room for another message, if its messages are limited.
void Performer::note_answer(const std::string& process) {
  const auto& names = behaviour_.admission.from;
  if (names == nullptr || admitted_ == 0) return;
  if (std::find(names->begin(), names->end(), process) != names->end()) --admitted_;
}

void Performer::reply(const KindName& kind, const Quantity& bytes, Activity& activity) {
  const OutgoingMessage answer = message_of(kind, drawn(bytes, activity), false, activity);
  const auto request = open_calls_.take(activity.tag.request, current(activity));
  // Nothing to answer: the kernel refuses, and names the process.
  if (!request) return calls_.reply(current(activity), answer);
  note_answer(sender_name(*request));
  calls_.reply(*request, answer);
}

// ---- processes

void Performer::manage(const char* step, const Whom& processes, const Managed& what) {
  for (const std::string& process : *processes.processes)
    if (auto done = what(calls_, process); !done)
      throw Misuse{fmt::format("process '{}', step '{}': {}", calls_.name(), step, done.error().what)};
}

// ---- steps

void Performer::perform(const Steps& steps, Activity& activity) {
  for (const Step& step : steps) {
    if (step.probability < 1 && !activity.draws->chance(step.probability)) continue;
    try {
      std::visit([&](const auto& what) { what.perform(*this, activity); }, step.what);
    } catch (Misuse& misuse) {
      if (!std::exchange(misuse.located, true)) misuse.what += fmt::format(" (the step at line {})", step.line);
      throw;
    }
  }
}

Program make_program(std::shared_ptr<const Behaviour> behaviour, ProcessNames senders) {
  return [behaviour = std::move(behaviour), senders = std::move(senders)](MessageCalls& calls) {
    Performer(*behaviour, *senders, calls).run();
  };
}

}  // namespace dpm
