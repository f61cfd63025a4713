#include "twin/activities.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace dpm::twin {
namespace {

constexpr double kNearlyAll = 0.995;
constexpr std::size_t kLongestPeriod = 64;  // of what is done again and again, in ops
constexpr std::size_t kPeriodsSeen = 4;     // before it is believed
constexpr int kStepsBack = 32;              // how far a message is followed back to its cause
constexpr int kReceivesBack = 8;            // how many receives before a SEND may have caused it

// Who sends over the channels of a process, by what it received.
std::map<std::uint32_t, std::set<std::uint32_t>> senders_by_channel(const Life& life, const Groups& groups) {
  std::map<std::uint32_t, std::set<std::uint32_t>> senders;
  for (const Op& op : life.ops)
    if (op.kind == OpKind::receive && op.peer != kNone) senders[op.channel].insert(groups.of[op.peer]);
  return senders;
}

class Understanding {
 public:
  Understanding(const Recording& recording, const Groups& groups, const Kinds& kinds)
      : recording_(recording), groups_(groups), kinds_(kinds) {
    conducts_.of.resize(recording.lives.size());
    somebody_ended_ =
        std::any_of(recording.lives.begin(), recording.lives.end(), [](const Life& l) { return l.ended; });
  }

  Conducts run() {
    for (std::uint32_t p = 0; p < recording_.lives.size(); ++p) {
      find_waits(p);
      cut(p);
    }
    if (!follow_requests(kBytesForRequest)) {
      const Conducts with_all = conducts_;
      const std::uint64_t lost = unclear_;
      follow_requests(0);
      conducts_.short_messages_matter = unclear_ * 2 < lost;
      if (!conducts_.short_messages_matter) conducts_ = with_all;
    }
    return std::move(conducts_);
  }

 private:
  using ReceiveClass = std::pair<std::string, std::uint32_t>;  // kind, group it comes from

  const Life& life(std::uint32_t p) const { return recording_.lives[p]; }

  ReceiveClass class_of(std::uint32_t p, const Op& op) const {
    return {kinds_.of(op.peer, p, op), op.peer == kNone ? kNone : groups_.of[op.peer]};
  }

  // ---- waits

  // Whether what `op` received was caused by something process p sent since its op number `since`.
  bool caused_by(std::uint32_t p, std::uint32_t since, const Op& op) const {
    std::uint32_t at = op.peer, number = op.match;
    for (int step = 0; step < kStepsBack && at != kNone && number != kNone; ++step) {
      const auto& ops = life(at).ops;
      const Op* cause = nullptr;
      int receives = 0;
      for (std::uint32_t i = number; i > 0 && receives < kReceivesBack; --i) {
        const Op& earlier = ops[i - 1];
        if (earlier.kind != OpKind::receive) continue;
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
    const auto& ops = life(p).ops;
    Conduct& conduct = conducts_.of[p];
    conduct.waits.assign(ops.size(), false);
    struct Count {
      std::uint64_t all = 0, caused = 0, with_set = 0, alone = 0;
    };
    std::map<ReceiveClass, Count> counts;
    std::uint64_t receives = 0, answers = 0;
    std::uint32_t after_previous = 0;
    std::map<ReceiveClass, std::uint32_t> last_of_other;  // where the last receive of another class was
    std::vector<std::pair<std::uint32_t, ReceiveClass>> seen;
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::receive || ops[i].what == Passes::beginning) continue;
      const ReceiveClass its_class = class_of(p, ops[i]);
      std::uint32_t since = 0;
      for (auto before = seen.rbegin(); before != seen.rend() && before - seen.rbegin() < 64; ++before) {
        if (before->second == its_class) continue;
        since = before->first + 1;
        break;
      }
      Count& count = counts[its_class];
      ++count.all;
      count.caused += caused_by(p, since, ops[i]);
      if (ops[i].set != kNone) {
        ++count.with_set;
        count.alone += is_selective(p, ops[i]);
      }
      ++receives;
      answers += caused_by(p, after_previous, ops[i]);
      after_previous = i + 1;
      seen.emplace_back(i, its_class);
    }
    conduct.only_start = receives > 0 && answers == receives && life(p).speaks_first() && !takes_what_comes(p);
    if (receives == 0 || is_script(p)) conduct.only_start = true;
    conduct.waits_for_several.assign(ops.size(), false);
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::receive) continue;
      if (ops[i].what == Passes::beginning) {
        conduct.waits[i] = true;
        continue;
      }
      const Count& count = counts[class_of(p, ops[i])];
      const auto share = [](std::uint64_t part, std::uint64_t all) {
        return all == 0 || static_cast<double>(part) >= kNearlyAll * static_cast<double>(all);
      };
      conduct.waits[i] = conduct.only_start || (share(count.caused, count.all) && share(count.alone, count.with_set));
      conduct.waits_for_several[i] = conduct.only_start && waited_for(p, ops[i]).size() > 1;
    }
  }

  // It never ends, though others do, and after the same messages sent takes sometimes this kind and sometimes that from
  // anybody: who fetches tasks and does what it is given. What comes begins an activity, though it was asked for.
  bool takes_what_comes(std::uint32_t p) const {
    if (life(p).ended || !somebody_ended_) return false;
    std::map<std::string, std::set<std::string>> kinds_after;  // what was sent since the receive before
    std::string sent;
    for (const Op& op : life(p).ops) {
      if (op.kind == OpKind::move || op.peer == kNone || op.what == Passes::beginning) continue;
      if (op.kind == OpKind::send) {
        sent += kinds_.of(p, op.peer, op) + ";";
        continue;
      }
      if (op.set == 0) kinds_after[sent].insert(kinds_.of(op.peer, p, op));
      sent.clear();
    }
    return std::any_of(kinds_after.begin(), kinds_after.end(),
                       [](const auto& after) { return after.second.size() > 1; });
  }

  // It speaks first, and does the same again and again: sends and receives of the same kinds in the same order.
  bool is_script(std::uint32_t p) const {
    std::vector<std::string> signs;
    for (const Op& op : life(p).ops) {
      if (op.kind == OpKind::move || op.peer == kNone || op.what == Passes::beginning) continue;
      const bool sends = op.kind == OpKind::send;
      signs.push_back((sends ? "S" : "R") + (sends ? kinds_.of(p, op.peer, op) : kinds_.of(op.peer, p, op)));
    }
    if (signs.empty() || signs.front().front() != 'S') return false;
    for (std::size_t period = 2; period <= kLongestPeriod && period * kPeriodsSeen <= signs.size(); ++period) {
      std::size_t same = period;
      while (same < signs.size() && signs[same] == signs[same - period]) ++same;
      if (same + period > signs.size()) return true;
    }
    return false;
  }

  // It waited for less than everybody it ever hears from.
  bool is_selective(std::uint32_t p, const Op& op) {
    if (op.set == 0 || op.set >= recording_.info.channel_sets.size()) return false;
    const std::size_t waited = waited_for(p, op).size();
    // A reply link leads from one call's answerer to nobody else, whoever else is of its group.
    return waited < everybody_[p].size() || recording_.info.channel_sets[op.set].size() == 1;
  }

  // The groups it waited for, of those it ever hears from; none if that is not known.
  std::set<std::uint32_t> waited_for(std::uint32_t p, const Op& op) {
    const auto [known, is_new] = senders_.try_emplace(p);
    if (is_new) {
      known->second = senders_by_channel(life(p), groups_);
      for (const auto& [channel, groups] : known->second) everybody_[p].insert(groups.begin(), groups.end());
    }
    if (op.set == 0) return everybody_[p];
    std::set<std::uint32_t> waited;
    if (op.set >= recording_.info.channel_sets.size()) return waited;
    for (const ChannelId channel : recording_.info.channel_sets[op.set]) {
      const auto found = known->second.find(channel.value);
      if (found != known->second.end()) waited.insert(found->second.begin(), found->second.end());
    }
    return waited;
  }

  // ---- activities

  void cut(std::uint32_t p) {
    const auto& ops = life(p).ops;
    Conduct& conduct = conducts_.of[p];
    conduct.destinations.resize(ops.size());
    Activity now;
    const auto close = [&](std::uint32_t end, std::uint64_t tail_cpu_ns) {
      now.end = end;
      now.tail_cpu_ns = tail_cpu_ns;
      conduct.activities.push_back(now);
    };
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != OpKind::receive || conduct.waits[i]) continue;
      close(i, ops[i].cpu_ns);
      now = Activity{};
      now.trigger = i;
      now.begin = i + 1;
    }
    // A live service that handles messages ends by a signal, or with its last connection, and not by what it handled.
    now.stops = life(p).ended && recording_.info.source == "sim";
    close(static_cast<std::uint32_t>(ops.size()), life(p).tail_cpu_ns);
  }

  // ---- requests

  // Where the walk is in a process.
  struct Position {
    std::uint32_t op = 0;
    bool handling = false;
    std::uint64_t request = 0;
    std::uint32_t current_sender = kNone;
  };
  // By request: who sent a message of it to this process, the latest last; and to whom it sent one.
  struct Known {
    std::vector<std::uint32_t> requesters, asked;
  };

  // False if some answers went to a member of a group that nothing explains.
  bool follow_requests(std::uint32_t bytes_needed) {
    request_of_.clear();
    request_of_.resize(recording_.lives.size());
    known_.clear();
    known_.resize(recording_.lives.size());
    positions_.assign(recording_.lives.size(), {});
    next_request_ = 1;
    unclear_ = 0;
    std::vector<std::uint32_t> ready;
    for (std::uint32_t p = 0; p < recording_.lives.size(); ++p) {
      request_of_[p].assign(life(p).ops.size(), 0);
      ready.push_back(p);
    }
    while (!ready.empty()) {
      const std::uint32_t p = ready.back();
      ready.pop_back();
      advance(p, bytes_needed, ready);
    }
    conducts_.requests = next_request_ - 1;
    return unclear_ == 0;
  }

  void advance(std::uint32_t p, std::uint32_t bytes_needed, std::vector<std::uint32_t>& ready) {
    Position& at = positions_[p];
    Conduct& conduct = conducts_.of[p];
    const auto& ops = life(p).ops;
    for (; at.op < ops.size(); ++at.op) {
      const Op& op = ops[at.op];
      if (op.kind == OpKind::receive) {
        const bool matched = op.match != kNone;
        if (matched && positions_[op.peer].op <= op.match) return;  // taken up again by its sender
        take(p, op, conduct.waits[at.op], matched && op.bytes >= bytes_needed ? request_of_[op.peer][op.match] : 0);
      } else if (op.kind == OpKind::send) {
        const std::uint64_t request = at.handling ? at.request : next_request_++;
        request_of_[p][at.op] = request;
        if (op.peer != kNone) judge(p, op, conduct.destinations[at.op]);
        if (op.match != kNone && positions_[op.peer].op == op.match) {
          ready.push_back(op.peer);
        }
      }
    }
  }

  void take(std::uint32_t p, const Op& op, bool is_wait, std::uint64_t request) {
    Position& at = positions_[p];
    if (!is_wait) at.handling = true;
    if (request != 0) {
      at.request = request;
    } else if (!is_wait) {
      at.request = next_request_++;
    }
    at.current_sender = op.peer;
    if (op.peer == kNone) return;
    Known& known = known_[p][at.request];
    if (std::find(known.asked.begin(), known.asked.end(), op.peer) != known.asked.end()) return;  // an answer
    known.requesters.erase(std::remove(known.requesters.begin(), known.requesters.end(), op.peer),
                           known.requesters.end());
    known.requesters.push_back(op.peer);
  }

  void judge(std::uint32_t p, const Op& op, Destination& destination) {
    Position& at = positions_[p];
    if (!at.handling) return;
    const std::uint32_t group = groups_.of[op.peer];
    Known& known = known_[p][at.request];
    destination.is_sender = at.current_sender == op.peer;
    const auto latest = std::find_if(known.requesters.rbegin(), known.requesters.rend(),
                                     [&](std::uint32_t q) { return groups_.of[q] == group; });
    destination.is_requester = latest != known.requesters.rend() && *latest == op.peer;
    if (!destination.is_requester && std::find(known.asked.begin(), known.asked.end(), op.peer) == known.asked.end())
      known.asked.push_back(op.peer);
    const bool is_one_of_many = groups_.all[group].members.size() > 1;
    if (is_one_of_many && !destination.is_sender && !destination.is_requester && latest != known.requesters.rend())
      ++unclear_;
  }

  const Recording& recording_;
  const Groups& groups_;
  const Kinds& kinds_;
  Conducts conducts_;
  bool somebody_ended_ = false;  // by itself
  std::map<std::uint32_t, std::map<std::uint32_t, std::set<std::uint32_t>>> senders_;
  std::map<std::uint32_t, std::set<std::uint32_t>> everybody_;
  std::vector<Position> positions_;
  std::vector<std::vector<std::uint64_t>> request_of_;  // by process and op
  std::vector<std::unordered_map<std::uint64_t, Known>> known_;
  std::uint64_t next_request_ = 1;
  std::uint64_t unclear_ = 0;
};

}  // namespace

Kinds::Kinds(const Recording& recording, const Groups& groups) : groups_(groups) {
  for (const Life& life : recording.lives)
    for (const Op& op : life.ops) has_codes_ = has_codes_ || (op.kind != OpKind::move && op.code != 0);
}

std::string Kinds::of(std::uint32_t sender, std::uint32_t receiver, const Op& op) const {
  if (op.what != Passes::message) return op.what == Passes::beginning ? "created" : "ended";
  std::string kind = has_codes_ ? "kind_" + std::to_string(op.code) : "message";
  const auto group_of = [&](std::uint32_t p) { return p == kNone ? kNone : groups_.of[p]; };
  if (by_size_.count({group_of(sender), group_of(receiver), op.code}) != 0) kind += "_of_" + std::to_string(op.bytes);
  return kind;
}

void Kinds::tell_by_size(std::uint32_t from_group, std::uint32_t to_group, std::uint32_t code) {
  by_size_.insert({from_group, to_group, code});
}

Conducts understand(const Recording& recording, const Groups& groups, const Kinds& kinds) {
  return Understanding(recording, groups, kinds).run();
}

std::set<std::uint32_t> groups_waited_for(const Recording& recording, const Groups& groups, std::uint32_t process,
                                          const Op& receive) {
  std::set<std::uint32_t> waited;
  if (receive.set == kNone || receive.set == 0 || receive.set >= recording.info.channel_sets.size()) return waited;
  const auto senders = senders_by_channel(recording.lives[process], groups);
  for (const ChannelId channel : recording.info.channel_sets[receive.set]) {
    const auto found = senders.find(channel.value);
    if (found != senders.end()) waited.insert(found->second.begin(), found->second.end());
  }
  return waited;
}

}  // namespace dpm::twin
