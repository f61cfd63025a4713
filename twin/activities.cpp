// Waits are told from open receives by evidence over all receives of a class (a kind of message from a group):
//
//   causality    whether the message was caused by what the process had just sent (Lamport's happened-before): it is
//                followed back from SEND to the RECEIVE before it, a bounded number of steps
//   selectivity  whether the process waited for that group alone, by the channel set of the call
//
// A class consists of waits if nearly all its receives have both properties. The record is then cut at the open
// receives, and requests are followed from process to process in causal order.
#include "twin/activities.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace dpm::twin {
namespace {

constexpr double kActivitiesNearlyAll = 0.995;
constexpr std::size_t kLongestSignaturePeriod = 64;  // of a repeated pattern, in operations
constexpr std::size_t kPeriodsSeen = 4;              // before a pattern counts as repeated
constexpr int kStepsBack = 32;                       // how far a message is followed back to its cause
constexpr int kReceivesBack = 8;                     // how many receives before a SEND may have caused it
constexpr std::size_t kClassesBack = 64;  // how many receives back a receive of another class is searched for

// The groups that send over each channel of a process, by what it received.
std::map<std::uint32_t, std::set<std::uint32_t>> senders_by_channel(const ProcessRecord& record, const Groups& groups) {
  std::map<std::uint32_t, std::set<std::uint32_t>> senders;
  for (const Operation& operation : record.operations)
    if (operation.kind == OperationKind::receive && operation.peer != kNone)
      senders[operation.channel].insert(groups.of[operation.peer]);
  return senders;
}

class BehaviourInference {
 public:
  BehaviourInference(const Recording& recording, const Groups& groups, const Kinds& kinds)
      : recording_(recording), groups_(groups), kinds_(kinds) {
    behaviours_.of.resize(recording.records.size());
    any_ended_ =
        std::any_of(recording.records.begin(), recording.records.end(), [](const ProcessRecord& l) { return l.ended; });
  }

  Behaviours run() {
    for (std::uint32_t p = 0; p < recording_.records.size(); ++p) {
      find_waits(p);
      cut(p);
    }
    if (!follow_requests(kBytesForRequest)) {
      const Behaviours with_all = behaviours_;
      const std::uint64_t lost = unclear_;
      follow_requests(0);
      behaviours_.short_messages_matter = unclear_ * 2 < lost;
      if (!behaviours_.short_messages_matter) behaviours_ = with_all;
    }
    return std::move(behaviours_);
  }

 private:
  using ReceiveClass = std::pair<std::string, std::uint32_t>;  // kind, sender's group

  const ProcessRecord& record(std::uint32_t p) const { return recording_.records[p]; }

  ReceiveClass class_of(std::uint32_t p, const Operation& operation) const {
    return {kinds_.of(operation.peer, p, operation), operation.peer == kNone ? kNone : groups_.of[operation.peer]};
  }

  // ---- waits

  // Whether what `operation` received was caused by something that process p sent since its operation number `since`.
  bool caused_by(std::uint32_t p, std::uint32_t since, const Operation& operation) const {
    std::uint32_t at = operation.peer, number = operation.match;
    for (int step = 0; step < kStepsBack && at != kNone && number != kNone; ++step) {
      const auto& operations = record(at).operations;
      const Operation* cause = nullptr;
      int receives = 0;
      for (std::uint32_t i = number; i > 0 && receives < kReceivesBack; --i) {
        const Operation& earlier = operations[i - 1];
        if (earlier.kind != OperationKind::receive) continue;
        ++receives;
        if (earlier.peer == p && earlier.match != kNone && earlier.match >= since) return true;
        if (cause == nullptr) cause = &earlier;
      }
      if (cause == nullptr || cause->peer == p) return false;
      at = cause->peer;
      number = cause->match;
    }
    return false;
  }

  void find_waits(std::uint32_t p) {
    const Evidence evidence = evidence_of(p);
    ProcessBehaviour& behaviour = behaviours_.of[p];
    behaviour.only_start = evidence.all_are_answers && record(p).speaks_first() && !takes_what_comes(p);
    if (evidence.by_class.empty() || is_script(p)) behaviour.only_start = true;
    mark_waits(p, evidence);
  }

  // What was seen of the receives of one class.
  struct Count {
    std::uint64_t all = 0, caused = 0;      // caused by what the process sent since its last receive of another class
    std::uint64_t with_set = 0, alone = 0;  // with a known channel set; of these, waited for alone
  };
  struct Evidence {
    std::map<ReceiveClass, Count> by_class;
    bool all_are_answers = false;  // every receive was caused by what the process sent since the receive before
  };

  Evidence evidence_of(std::uint32_t p) {
    Evidence evidence;
    std::vector<std::pair<std::uint32_t, ReceiveClass>> seen;
    std::uint64_t answers = 0;
    std::uint32_t after_previous = 0;
    const auto& operations = record(p).operations;
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (operations[i].kind != OperationKind::receive || operations[i].what == Passes::beginning) continue;
      const ReceiveClass its_class = class_of(p, operations[i]);
      Count& count = evidence.by_class[its_class];
      ++count.all;
      count.caused += caused_by(p, after_last_of_another(seen, its_class), operations[i]);
      if (operations[i].set != kNone) {
        ++count.with_set;
        count.alone += is_selective(p, operations[i]);
      }
      answers += caused_by(p, after_previous, operations[i]);
      after_previous = i + 1;
      seen.emplace_back(i, its_class);
    }
    evidence.all_are_answers = !seen.empty() && answers == seen.size();
    return evidence;
  }

  // The operation after the last receive of another class, if that is one of the last kClassesBack receives; else 0.
  static std::uint32_t after_last_of_another(const std::vector<std::pair<std::uint32_t, ReceiveClass>>& seen,
                                             const ReceiveClass& its_class) {
    const auto end = seen.size() > kClassesBack ? seen.rbegin() + kClassesBack : seen.rend();
    const auto other = std::find_if(seen.rbegin(), end, [&](const auto& before) { return before.second != its_class; });
    return other == end ? 0 : other->first + 1;
  }

  void mark_waits(std::uint32_t p, const Evidence& evidence) {
    const auto nearly_all = [](std::uint64_t part, std::uint64_t all) {
      return all == 0 || static_cast<double>(part) >= kActivitiesNearlyAll * static_cast<double>(all);
    };
    const auto& operations = record(p).operations;
    ProcessBehaviour& behaviour = behaviours_.of[p];
    behaviour.waits.assign(operations.size(), false);
    behaviour.waits_for_several.assign(operations.size(), false);
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (operations[i].kind != OperationKind::receive) continue;
      if (operations[i].what == Passes::beginning) {
        behaviour.waits[i] = true;
        continue;
      }
      const Count& count = evidence.by_class.at(class_of(p, operations[i]));
      behaviour.waits[i] =
          behaviour.only_start || (nearly_all(count.caused, count.all) && nearly_all(count.alone, count.with_set));
      behaviour.waits_for_several[i] = behaviour.only_start && waited_for(p, operations[i]).size() > 1;
    }
  }

  // It never ends, though others do, and after sending the same messages it takes sometimes one kind and sometimes
  // another, from any process: it fetches tasks and does what it is given. What comes begins an activity, although the
  // process asked for it.
  bool takes_what_comes(std::uint32_t p) const {
    if (record(p).ended || !any_ended_) return false;
    std::map<std::string, std::set<std::string>> kinds_after;  // by the kinds sent since the receive before
    std::string sent;
    for (const Operation& operation : record(p).operations) {
      if (operation.kind == OperationKind::move || operation.peer == kNone || operation.what == Passes::beginning)
        continue;
      if (operation.kind == OperationKind::send) {
        sent += kinds_.of(p, operation.peer, operation) + ";";
        continue;
      }
      if (operation.set == 0) kinds_after[sent].insert(kinds_.of(operation.peer, p, operation));
      sent.clear();
    }
    return std::any_of(kinds_after.begin(), kinds_after.end(),
                       [](const auto& after) { return after.second.size() > 1; });
  }

  // It speaks first, and repeats itself: sends and receives of the same kinds in the same order.
  bool is_script(std::uint32_t p) const {
    std::vector<std::string> signatures;
    for (const Operation& operation : record(p).operations) {
      if (operation.kind == OperationKind::move || operation.peer == kNone || operation.what == Passes::beginning)
        continue;
      const bool sends = operation.kind == OperationKind::send;
      signatures.push_back((sends ? "S" : "R") +
                           (sends ? kinds_.of(p, operation.peer, operation) : kinds_.of(operation.peer, p, operation)));
    }
    if (signatures.empty() || signatures.front().front() != 'S') return false;
    for (std::size_t period = 2; period <= kLongestSignaturePeriod && period * kPeriodsSeen <= signatures.size();
         ++period) {
      std::size_t same = period;
      while (same < signatures.size() && signatures[same] == signatures[same - period]) ++same;
      if (same + period > signatures.size()) return true;
    }
    return false;
  }

  // It waited for fewer processes than it ever receives from.
  bool is_selective(std::uint32_t p, const Operation& operation) {
    if (operation.set == 0 || operation.set >= recording_.info.channel_sets.size()) return false;
    const std::size_t waited = waited_for(p, operation).size();
    // A reply link leads only from the process that answers one call, whatever the size of that process's group.
    return waited < all_senders_[p].size() || recording_.info.channel_sets[operation.set].size() == 1;
  }

  // The groups it waited for, of those it ever receives from; empty if that is not known.
  std::set<std::uint32_t> waited_for(std::uint32_t p, const Operation& operation) {
    const auto [known, is_new] = senders_.try_emplace(p);
    if (is_new) {
      known->second = senders_by_channel(record(p), groups_);
      for (const auto& [channel, groups] : known->second) all_senders_[p].insert(groups.begin(), groups.end());
    }
    if (operation.set == 0) return all_senders_[p];
    std::set<std::uint32_t> waited;
    if (operation.set >= recording_.info.channel_sets.size()) return waited;
    for (const ChannelId channel : recording_.info.channel_sets[operation.set]) {
      const auto found = known->second.find(channel.value);
      if (found != known->second.end()) waited.insert(found->second.begin(), found->second.end());
    }
    return waited;
  }

  // ---- activities

  void cut(std::uint32_t p) {
    const auto& operations = record(p).operations;
    ProcessBehaviour& behaviour = behaviours_.of[p];
    behaviour.destinations.resize(operations.size());
    Activity now;
    const auto close = [&](std::uint32_t end, std::uint64_t tail_cpu_ns, const IdleBefore& tail_idle) {
      now.end = end;
      now.tail_cpu_ns = tail_cpu_ns;
      now.tail_idle = tail_idle;
      behaviour.activities.push_back(now);
    };
    for (std::uint32_t i = 0; i < operations.size(); ++i) {
      if (operations[i].kind != OperationKind::receive || behaviour.waits[i]) continue;
      close(i, operations[i].cpu_ns, operations[i].idle);
      now = Activity{};
      now.trigger = i;
      now.begin = i + 1;
    }
    // A live service ends by a signal, or with its last connection, not because of the message that it handled.
    now.stops = record(p).ended && recording_.info.properties.scripted;
    close(static_cast<std::uint32_t>(operations.size()), record(p).tail_cpu_ns, record(p).tail_idle);
  }

  // ---- requests

  // How far the walk has come in a process.
  struct Position {
    std::uint32_t operation = 0;
    bool handling = false;
    std::uint64_t request = 0;
    std::uint32_t current_sender = kNone;
  };
  // By request: the processes that sent a message of it to this process, the latest last; and those it sent one to.
  struct Known {
    std::vector<std::uint32_t> requesters, asked;
  };

  // False if some answers went to a member of a group for no recognised reason.
  bool follow_requests(std::uint32_t bytes_needed) {
    request_of_.clear();
    request_of_.resize(recording_.records.size());
    known_.clear();
    known_.resize(recording_.records.size());
    positions_.assign(recording_.records.size(), {});
    next_request_ = 1;
    unclear_ = 0;
    std::vector<std::uint32_t> ready;
    for (std::uint32_t p = 0; p < recording_.records.size(); ++p) {
      request_of_[p].assign(record(p).operations.size(), 0);
      ready.push_back(p);
    }
    while (!ready.empty()) {
      const std::uint32_t p = ready.back();
      ready.pop_back();
      advance(p, bytes_needed, ready);
    }
    behaviours_.requests = next_request_ - 1;
    return unclear_ == 0;
  }

  void advance(std::uint32_t p, std::uint32_t bytes_needed, std::vector<std::uint32_t>& ready) {
    Position& at = positions_[p];
    ProcessBehaviour& behaviour = behaviours_.of[p];
    const auto& operations = record(p).operations;
    for (; at.operation < operations.size(); ++at.operation) {
      const Operation& operation = operations[at.operation];
      if (operation.kind == OperationKind::receive) {
        const bool matched = operation.match != kNone;
        if (matched && positions_[operation.peer].operation <= operation.match) return;  // its sender resumes it
        take(p, operation, behaviour.waits[at.operation],
             matched && operation.bytes >= bytes_needed ? request_of_[operation.peer][operation.match] : 0);
      } else if (operation.kind == OperationKind::send) {
        const std::uint64_t request = at.handling ? at.request : next_request_++;
        request_of_[p][at.operation] = request;
        if (operation.peer != kNone) note_destination(p, operation, behaviour.destinations[at.operation]);
        if (operation.match != kNone && positions_[operation.peer].operation == operation.match) {
          ready.push_back(operation.peer);
        }
      }
    }
  }

  void take(std::uint32_t p, const Operation& operation, bool is_wait, std::uint64_t request) {
    Position& at = positions_[p];
    if (!is_wait) at.handling = true;
    if (request != 0) {
      at.request = request;
    } else if (!is_wait) {
      at.request = next_request_++;
    }
    at.current_sender = operation.peer;
    if (operation.peer == kNone) return;
    Known& known = known_[p][at.request];
    if (std::find(known.asked.begin(), known.asked.end(), operation.peer) != known.asked.end()) return;  // an answer
    known.requesters.erase(std::remove(known.requesters.begin(), known.requesters.end(), operation.peer),
                           known.requesters.end());
    known.requesters.push_back(operation.peer);
  }

  void note_destination(std::uint32_t p, const Operation& operation, Destination& destination) {
    Position& at = positions_[p];
    if (!at.handling) return;
    const std::uint32_t group = groups_.of[operation.peer];
    Known& known = known_[p][at.request];
    destination.is_sender = at.current_sender == operation.peer;
    const auto latest = std::find_if(known.requesters.rbegin(), known.requesters.rend(),
                                     [&](std::uint32_t q) { return groups_.of[q] == group; });
    destination.is_requester = latest != known.requesters.rend() && *latest == operation.peer;
    if (!destination.is_requester &&
        std::find(known.asked.begin(), known.asked.end(), operation.peer) == known.asked.end())
      known.asked.push_back(operation.peer);
    const bool is_one_of_many = groups_.all[group].members.size() > 1;
    if (is_one_of_many && !destination.is_sender && !destination.is_requester && latest != known.requesters.rend())
      ++unclear_;
  }

  const Recording& recording_;
  const Groups& groups_;
  const Kinds& kinds_;
  Behaviours behaviours_;
  bool any_ended_ = false;  // by itself
  std::map<std::uint32_t, std::map<std::uint32_t, std::set<std::uint32_t>>> senders_;
  std::map<std::uint32_t, std::set<std::uint32_t>> all_senders_;
  std::vector<Position> positions_;
  std::vector<std::vector<std::uint64_t>> request_of_;  // by process and operation
  std::vector<std::unordered_map<std::uint64_t, Known>> known_;
  std::uint64_t next_request_ = 1;
  std::uint64_t unclear_ = 0;
};

}  // namespace

Kinds::Kinds(const Recording& recording, const Groups& groups) : groups_(groups) {
  for (const ProcessRecord& record : recording.records)
    for (const Operation& operation : record.operations)
      has_codes_ = has_codes_ || (operation.kind != OperationKind::move && operation.code != 0);
}

std::string Kinds::of(std::uint32_t sender, std::uint32_t receiver, const Operation& operation) const {
  if (operation.what != Passes::message) return operation.what == Passes::beginning ? "created" : "ended";
  std::string kind = has_codes_ ? "kind_" + std::to_string(operation.code) : "message";
  const auto group_of = [&](std::uint32_t p) { return p == kNone ? kNone : groups_.of[p]; };
  if (by_size_.count({group_of(sender), group_of(receiver), operation.code}) != 0)
    kind += "_of_" + std::to_string(operation.bytes);
  return kind;
}

void Kinds::tell_by_size(std::uint32_t from_group, std::uint32_t to_group, std::uint32_t code) {
  by_size_.insert({from_group, to_group, code});
}

Behaviours infer_behaviour(const Recording& recording, const Groups& groups, const Kinds& kinds) {
  return BehaviourInference(recording, groups, kinds).run();
}

std::set<std::uint32_t> groups_waited_for(const Recording& recording, const Groups& groups, std::uint32_t process,
                                          const Operation& receive) {
  std::set<std::uint32_t> waited;
  if (receive.set == kNone || receive.set == 0 || receive.set >= recording.info.channel_sets.size()) return waited;
  const auto senders = senders_by_channel(recording.records[process], groups);
  for (const ChannelId channel : recording.info.channel_sets[receive.set]) {
    const auto found = senders.find(channel.value);
    if (found != senders.end()) waited.insert(found->second.begin(), found->second.end());
  }
  return waited;
}

}  // namespace dpm::twin
