#include "scenarios/behaviour/performer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <unordered_set>

#include "scenarios/behaviour/request_tag.hpp"

namespace dpm {
namespace {

constexpr std::size_t kNoProcess = static_cast<std::size_t>(-1);
constexpr std::size_t kRequestsRemembered =
    100'000;  // so that a service that runs without end does not grow without end

}  // namespace

Performer::Performer(const Behaviour& behaviour, const std::vector<std::string>& senders, MessageCalls& calls)
    : behaviour_(behaviour),
      senders_(senders),
      calls_(calls),
      variables_(behaviour.variables),
      memory_(behaviour.slots) {
  for (std::size_t i = 0; i < senders.size(); ++i) {
    links_from_.push_back(calls.link_from(senders[i]));
    sender_of_link_.emplace(links_from_.back(), i);
  }
}

void Performer::run() {
  Activity activity;
  activity.draws = &calls_.random();
  perform(behaviour_.start, activity);
  while (!behaviour_.handlers.empty()) handle(next_message());
}

// ---- messages in

Message Performer::next_message() {
  const bool full = behaviour_.admission.from != nullptr && admitted_ >= behaviour_.admission.at_most;
  const auto may_come = [&](const Message& message) { return !full || !is_from(message, behaviour_.admission.from); };
  const auto kept = std::find_if(deferred_.begin(), deferred_.end(), may_come);
  if (kept == deferred_.end()) return calls_.receive_message(full ? links_not_limited() : no_links_);
  Message message = std::move(*kept);
  deferred_.erase(kept);
  return message;
}

const std::vector<LinkIndex>& Performer::links_not_limited() {
  if (not_limited_.empty())
    for (std::size_t i = 0; i < senders_.size(); ++i)
      if (!lookup(behaviour_.admission.from).has_sender[i]) not_limited_.push_back(links_from_[i]);
  return not_limited_;
}

void Performer::handle(Message message) {
  for (const auto& handler : behaviour_.handlers) {
    if (!(handler.kind.any || handler.kind.code == message.code) || !is_from(message, handler.from.processes)) continue;
    Activity activity;
    activity.handling = true;
    if (behaviour_.admission.from != nullptr && is_from(message, behaviour_.admission.from)) ++admitted_;
    take(activity, std::move(message));
    Random of_request = Random::stream(activity.tag.draws, calls_.name());
    activity.draws = behaviour_.per_request ? &of_request : &calls_.random();
    perform(handler.steps, activity);
    return;
  }
  throw std::runtime_error(fmt::format("process '{}' has no handler for a message of code {} from '{}'", calls_.name(),
                                       message.code, sender_name(message)));
}

Message Performer::await(const KindName& kind, const Whom& from) {
  const auto wanted = [&](const Message& message) {
    return (kind.any || message.code == kind.code) && is_from(message, from.processes);
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
  for (;;) {
    Message message = calls_.receive_message(over);
    if (wanted(message)) return message;
    deferred_.push_back(std::move(message));
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
  if (message.reply_to) open_[activity.tag.request].push_back(message);
  if (behaviour_.follows_requests) remember_requester(activity.tag.request, sender_index(message));
  activity.current = std::move(message);
}

void Performer::remember_requester(std::uint64_t request, std::size_t sender) {
  const auto [entry, is_new] = requesters_.try_emplace(request);
  auto& senders = entry->second;
  senders.erase(std::remove(senders.begin(), senders.end(), sender), senders.end());
  senders.push_back(sender);
  if (!is_new) return;
  requests_by_age_.push_back(request);
  if (requests_by_age_.size() <= kRequestsRemembered) return;
  requesters_.erase(requests_by_age_.front());
  requests_by_age_.pop_front();
}

const std::string& Performer::requester(const ProcessNames& names, const Activity& activity) {
  const auto found = requesters_.find(activity.tag.request);
  if (found != requesters_.end()) {
    const auto& has_sender = lookup(names).has_sender;
    const auto latest = std::find_if(found->second.rbegin(), found->second.rend(),
                                     [&](std::size_t sender) { return sender != kNoProcess && has_sender[sender]; });
    if (latest != found->second.rend()) return senders_[*latest];
  }
  throw std::runtime_error(
      fmt::format("process '{}': no process of the group of '{}' has sent it a message of the request being handled",
                  calls_.name(), names->front()));
}

const Message& Performer::current(const Activity& activity) const {
  if (activity.current) return *activity.current;
  throw std::runtime_error(fmt::format("process '{}' has no message to reply to or forward", calls_.name()));
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

void Performer::post(const Outgoing& outgoing, How how, Activity& activity) {
  if (outgoing.to.processes == nullptr) return post_to(sender_name(current(activity)), outgoing, how, activity);
  const auto& names = *outgoing.to.processes;
  // A group's member does not write to itself, unless it is named.
  const std::size_t self_at = outgoing.to.by_name ? kNoProcess : lookup(outgoing.to.processes).self_at;
  const std::size_t others = names.size() - (self_at == kNoProcess ? 0 : 1);
  const auto other = [&](std::size_t i) -> const std::string& { return names[i < self_at ? i : i + 1]; };
  if (others == 0) return;
  switch (outgoing.pick) {
    case Pick::random:
      return post_to(other(others == 1 ? 0 : activity.draws->below(others)), outgoing, how, activity);
    case Pick::in_turn:
      return post_to(other(memory_[outgoing.slot].at++ % others), outgoing, how, activity);
    case Pick::requester:
      return post_to(requester(outgoing.to.processes, activity), outgoing, how, activity);
    case Pick::all:
      for (std::size_t i = 0; i < others; ++i) post_to(other(i), outgoing, how, activity);
      return;
  }
}

void Performer::post_to(const std::string& process, const Outgoing& outgoing, How how, Activity& activity) {
  const auto link = calls_.link_to(process);
  note_answer(process);
  const double bytes = outgoing.same_bytes ? current(activity).length_bytes : drawn(outgoing.bytes, activity);
  const OutgoingMessage message = message_of(outgoing.kind, bytes, how != How::forward, activity);
  if (how == How::call) {
    calls_.call(link, message);
  } else {
    calls_.send_message(link, message);
  }
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
  const auto open = open_.find(activity.tag.request);
  // Nothing to answer: the kernel refuses, and names the process.
  if (open == open_.end()) return calls_.reply(current(activity), answer);
  auto& requests = open->second;
  const auto is_current = [&](const Message& message) { return message.reply_to == current(activity).reply_to; };
  auto chosen = std::find_if(requests.begin(), requests.end(), is_current);
  if (chosen == requests.end()) chosen = std::prev(requests.end());
  const Message request = std::move(*chosen);
  requests.erase(chosen);
  if (requests.empty()) open_.erase(open);
  note_answer(sender_name(request));
  calls_.reply(request, answer);
}

// ---- steps

void Performer::perform(const Steps& steps, Activity& activity) {
  for (const Step& step : steps)
    if (step.probability >= 1 || activity.draws->chance(step.probability))
      std::visit([&](const auto& what) { what.perform(*this, activity); }, step.what);
}

Program make_program(std::shared_ptr<const Behaviour> behaviour, ProcessNames senders) {
  return [behaviour = std::move(behaviour), senders = std::move(senders)](MessageCalls& calls) {
    Performer(*behaviour, *senders, calls).run();
  };
}

}  // namespace dpm
