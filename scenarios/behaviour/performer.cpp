#include "scenarios/behaviour/performer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "model/counted.hpp"
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
      request_variables_(behaviour.request_variables),
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
    calls_.set_awaited(awaited_by_handlers_, true);
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
  const bool by_priority = behaviour_.has_priorities;
  if (behaviour_.queue || (by_priority && !deferred_.empty())) fill_queue();
  const bool full = behaviour_.admission.from != nullptr && admitted_ >= behaviour_.admission.at_most;
  const auto may_come = [&](const Message& message) {
    return !full || !is_from(message.over, behaviour_.admission.from);
  };
  const auto rank_of = [&](const Message& message) {
    return may_come(message) ? std::optional(priority_of(message.over, message.code)) : std::nullopt;
  };
  const auto next = by_priority ? first_of_highest_rank(deferred_.begin(), deferred_.end(), rank_of)
                                : std::find_if(deferred_.begin(), deferred_.end(), may_come);
  if (next != deferred_.end()) {
    Message message = std::move(*next);
    deferred_.erase(next);
    return message;
  }
  Selection selection(full ? links_not_limited() : no_links_);
  if (by_priority) selection.rank = [this](LinkIndex over, std::uint32_t code) { return priority_of(over, code); };
  if (!behaviour_.idle) return calls_.receive_message(selection);
  Activity activity;
  activity.draws = &calls_.random();
  const Duration most = Duration::from_seconds(drawn(behaviour_.idle->after, activity));
  return calls_.receive_message_until(calls_.deadline_in(most), selection);
}

double Performer::priority_of(LinkIndex over, std::uint32_t code) {
  const Handler* handler = handler_of(over, code);
  return handler == nullptr || !handler->priority ? 0 : number(*handler->priority, {});
}

void Performer::fill_queue() {
  do {
    while (auto message = calls_.a_receive_message()) keep(*std::move(message));
  } while (behaviour_.queue && refuse_one());
}

// Messages that no handler takes are kept for a wait, and have no place in the queue.
bool Performer::refuse_one() {
  const std::uint64_t taken_at_once =
      was_busy_ ? 0 : 1;  // an idle process had waited for it, so it is not in the queue
  const std::uint64_t room = whole(behaviour_.queue->at_most, {}) + taken_at_once;
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
const Handler* Performer::handler_of(LinkIndex over, std::uint32_t code) {
  for (const auto& handler : behaviour_.handlers)
    if (includes(handler.kinds, code) && is_from(over, handler.from.processes)) return &handler;
  return nullptr;
}

void Performer::handle(Message message) {
  const Handler* handler = handler_of(message);
  if (handler == nullptr && is_late(message)) return;
  if (handler == nullptr)
    throw Misuse{fmt::format("process '{}' has no handler for {} from '{}'", calls_.name(), kind_of(message.code),
                             sender_name(message))};
  if (behaviour_.admission.from != nullptr && is_from(message.over, behaviour_.admission.from)) ++admitted_;
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

std::optional<Duration> Performer::time_of(const Timeout& timeout, Activity& activity) {
  if (!timeout.after) return std::nullopt;
  return Duration::from_seconds(drawn(*timeout.after, activity));
}

std::optional<Deadline> Performer::deadline_in(std::optional<Duration> time) const {
  return time ? std::optional(calls_.deadline_in(*time)) : std::nullopt;
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

bool Performer::is_wanted(const Message& message, const Awaited& awaited) {
  if (!includes(awaited.kinds, message.code) || !is_from(message.over, awaited.from.processes) || is_late(message))
    return false;
  const auto tag = awaited.request ? decode_request_tag(message.data) : std::nullopt;
  return !tag || tag->request == *awaited.request;
}

const std::vector<LinkIndex>& Performer::links_from(const Whom& whom) {
  return whom.processes == nullptr ? no_links_ : lookup(whom.processes).links;
}

std::optional<Message> Performer::take_deferred(const Awaited& awaited) {
  const auto found = std::find_if(deferred_.begin(), deferred_.end(),
                                  [&](const Message& message) { return is_wanted(message, awaited); });
  if (found == deferred_.end()) return std::nullopt;
  Message message = std::move(*found);
  deferred_.erase(found);
  return message;
}

std::optional<Message> Performer::await(const Awaited& awaited, std::optional<Deadline> deadline) {
  if (auto message = take_deferred(awaited)) return message;
  set_awaited(awaited.kinds);
  const Selection selection(links_from(awaited.from));
  for (;;) {
    auto message = deadline ? calls_.receive_message_until(*deadline, selection) : calls_.receive_message(selection);
    if (message) ++progress_;
    if (!message || is_wanted(*message, awaited)) return message;
    keep(*std::move(message));
  }
}

std::optional<Message> Performer::take_if_there(const Awaited& awaited) {
  if (auto message = take_deferred(awaited)) return message;
  const Selection selection(links_from(awaited.from));
  auto message = calls_.a_receive_message(selection);
  for (; message && !is_wanted(*message, awaited); message = calls_.a_receive_message(selection))
    keep(*std::move(message));
  if (message) ++progress_;
  return message;
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
  if (behaviour_.follows_requests) requesters_.sent(activity.tag.request, sender_index(message.over));
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

std::size_t Performer::sender_index(LinkIndex over) const {
  const auto found = sender_of_link_.find(over);
  return found == sender_of_link_.end() ? kNoProcess : found->second;
}

std::string Performer::sender_name(const Message& message) const {
  const std::size_t index = sender_index(message.over);
  return index == kNoProcess ? "process " + std::to_string(message.sender.value) : senders_[index];
}

bool Performer::is_from(LinkIndex over, const ProcessNames& names) {
  if (names == nullptr) return true;
  const std::size_t index = sender_index(over);
  return index != kNoProcess && lookup(names).has_sender[index];
}

const Performer::Lookup& Performer::lookup(const ProcessNames& names) {
  const auto [entry, is_new] = lookups_.try_emplace(names.get());
  if (!is_new) return entry->second;
  const std::unordered_set<std::string_view> set(names->begin(), names->end());
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    const bool named = set.count(senders_[i]) != 0;
    entry->second.has_sender.push_back(named);
    if (named) entry->second.links.push_back(links_from_[i]);
  }
  const auto self = std::find(names->begin(), names->end(), calls_.name());
  if (self != names->end()) entry->second.self_at = static_cast<std::size_t>(self - names->begin());
  return entry->second;
}

void Performer::acquire(const std::string& semaphore) {
  calls_.take_unit(semaphore);
  ++progress_;
}

void Performer::release(const std::string& semaphore) {
  calls_.give_unit(semaphore);
  ++progress_;
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

OutgoingMessage Performer::message_of(const KindName& kind, double bytes, CarriedNumbers carried, bool begins_request,
                                      Activity& activity) {
  OutgoingMessage message;
  message.code = kind.code;
  message.length_bytes = static_cast<std::uint32_t>(std::min(bytes + .5, 4294967295.0));
  const RequestTag tag = next_tag(activity, begins_request);
  if (message.length_bytes < room_for(carried.size()))
    misuse(fmt::format("a '{}' of {} bytes has no room for the {} that it carries; it needs {} bytes", kind.name,
                       message.length_bytes, counted(carried.size(), "number"), room_for(carried.size())));
  if (message.length_bytes >= kRequestTagBytes) message.data = encode(tag, carried);
  return message;
}

OutgoingMessage Performer::message_of(const Outgoing& outgoing, How how, Activity& activity) {
  const bool passed_on = how == How::forward;
  const double bytes = outgoing.same_bytes ? current(activity).length_bytes : drawn(outgoing.bytes, activity);
  CarriedNumbers carried = passed_on ? decode_carried(current(activity).data) : CarriedNumbers{};
  add(outgoing.carried, carried, activity);
  return message_of(outgoing.kind, bytes, std::move(carried), !passed_on, activity);
}

void Performer::add(const std::vector<Carried>& carried, CarriedNumbers& numbers, Activity& activity) {
  for (const Carried& each : carried) numbers[static_cast<std::uint32_t>(each.number)] = drawn(each.value, activity);
}

// ---- numbers

void Performer::misuse(const std::string& what) const {
  throw Misuse{fmt::format("process '{}': {}", calls_.name(), what)};
}

double& Performer::value_of(const Variable& variable, const Activity& activity) {
  if (!variable.of_request) return variables_[variable.index];
  current(activity);
  return request_variables_.of(activity.tag.request)[variable.index];
}

double Performer::value_of(const RunTimeName& name, const Activity& activity) {
  using Of = RunTimeName::Of;
  if (name.of == Of::process || name.of == Of::request)
    return value_of(Variable{name.name, name.index, name.of == Of::request}, activity);
  const CarriedNumbers carried = decode_carried(name.of == Of::message ? current(activity).data : activity.answer);
  const auto found = carried.find(static_cast<std::uint32_t>(name.index));
  if (found == carried.end())
    misuse(fmt::format("'{}': {} does not carry it", name.name,
                       name.of == Of::message ? "the message being handled, " + kind_of(current(activity).code) + ","
                                              : "the last answer to a call"));
  return found->second;
}

double Performer::number(const Value& value, const Activity& activity) {
  if (value.expression == nullptr) return value.number;
  const auto result =
      value.expression->value([&](KnownLater later) { return value_of(behaviour_.later[later.number], activity); });
  if (!result) misuse(fmt::format("'{}': {}", value.written, result.error().what));
  if (!in_range(*result, value.range))
    misuse(fmt::format("'{}' must be {}", value.written, within_but_is(*result, value.range)));
  if (value.whole && *result != std::floor(*result))
    misuse(fmt::format("'{}' must be a whole number, not {:.15g}", value.written, *result));
  return *result;
}

std::uint64_t Performer::whole(const Value& value, const Activity& activity) {
  return static_cast<std::uint64_t>(number(value, activity));
}

double Performer::drawn(const Quantity& quantity, Activity& activity) {
  if (quantity.kind == Quantity::Kind::constant) return number(quantity.first, activity);
  const auto result = draw(quantity, memory_[quantity.slot].deck, *activity.draws,
                           [&](const Value& value) { return number(value, activity); });
  if (!result) misuse(result.error().what);
  return *result;
}

std::string Performer::kind_of(std::uint32_t code) const {
  const auto name = behaviour_.kinds == nullptr ? decltype(behaviour_.kinds->end()){} : behaviour_.kinds->find(code);
  if (behaviour_.kinds == nullptr || name == behaviour_.kinds->end()) return fmt::format("a message of code {}", code);
  return fmt::format("a '{}'", name->second);
}

// ---- time

void Performer::compute(Duration cpu_time) {
  calls_.compute(cpu_time);
  if (cpu_time.ns > 0) ++progress_;
}

void Performer::sleep(Duration time) {
  calls_.sleep(time);
  if (time.ns > 0) ++progress_;
}

// ---- messages out

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
      if (how == How::call_at_once) {
        std::vector<std::pair<LinkIndex, OutgoingMessage>> requests;
        for (std::size_t i = 0; i < others; ++i) {
          note_answer(other(i));
          requests.emplace_back(calls_.link_to(other(i)), message_of(outgoing, how, activity));
        }
        return call(requests, outgoing.kind, deadline_in(time_of(*timeout, activity)), activity);
      }
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
  const OutgoingMessage message = message_of(outgoing, how, activity);
  const bool is_call = how == How::call || how == How::call_at_once;
  if (is_call) return call({{link, message}}, outgoing.kind, deadline_in(time_of(*timeout, activity)), activity);
  if (behaviour_.counts_outstanding) outstanding_.sent_to(process);
  calls_.send_message(link, message);
  return true;
}

bool Performer::call(const std::vector<std::pair<LinkIndex, OutgoingMessage>>& requests, const KindName& kind,
                     std::optional<Deadline> deadline, Activity& activity) {
  set_awaited({kind});
  std::vector<Message> answers;
  if (requests.size() != 1) {
    answers = calls_.call_all(requests, deadline);
  } else if (!deadline) {
    answers.push_back(calls_.call(requests.front().first, requests.front().second));
  } else if (auto answer = calls_.call_until(*deadline, requests.front().first, requests.front().second)) {
    answers.push_back(*std::move(answer));
  }
  progress_ += answers.size();
  if (!answers.empty()) activity.answer = std::move(answers.back().data);
  return answers.size() == requests.size();
}

void Performer::set_awaited(const KindNames& kinds) {
  awaited_ = words_of(kinds);
  calls_.set_awaited(awaited_, false);
}

void Performer::post_to(const std::string& process, const KindName& kind, const Quantity& bytes, Activity& activity) {
  const auto link = calls_.link_to(process);
  note_answer(process);
  calls_.send_message(link, message_of(kind, drawn(bytes, activity), {}, true, activity));
}

// A process that is written to has room for another message, if its messages are limited.
void Performer::note_answer(const std::string& process) {
  const auto& names = behaviour_.admission.from;
  if (names == nullptr || admitted_ == 0) return;
  if (std::find(names->begin(), names->end(), process) != names->end()) --admitted_;
}

void Performer::reply(const KindName& kind, const Quantity& bytes, const std::vector<Carried>& carried,
                      Activity& activity) {
  CarriedNumbers numbers;
  add(carried, numbers, activity);
  const double length = drawn(bytes, activity);
  const OutgoingMessage answer = message_of(kind, length, std::move(numbers), false, activity);
  const auto request = open_calls_.take(activity.tag.request, current(activity));
  // Nothing to answer: the kernel refuses, and names the process.
  if (!request) return calls_.reply(current(activity), answer);
  note_answer(sender_name(*request));
  calls_.reply(*request, answer);
}

// ---- processes

void Performer::manage(const char* step, const Whom& processes, const Managed& what) {
  ++progress_;
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
