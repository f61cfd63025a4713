#include "analysis/history/server_work.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <set>
#include <utility>

#include "analysis/history/intake_limit.hpp"

namespace dpm {
namespace {

struct Peer {
  bool is_client = false;
  std::deque<std::uint32_t> asked;      // pieces with a message to it that it has not answered
  std::uint32_t last_asked = kNoEvent;  // where more answers than questions belong
};

struct Piece {
  std::uint32_t client = 0;
  std::uint32_t request_bytes = 0;
  std::uint64_t answers = 0;                     // to its client
  std::map<std::uint32_t, std::uint64_t> asked;  // messages by peers that are not clients
};

std::string of(std::uint64_t some, std::uint64_t all) { return fmt::format("{} of {}", some, all); }

class Reader {
 public:
  Reader(const History& history, ProcessId server)
      : history_(history), server_(server.value), first_(history.first_event[server.value]) {}

  Result<ServerWork> read() {
    const auto events = history_.of(ProcessId{server_});
    work_.piece_of.assign(events.size(), kNoEvent);
    std::uint64_t unknown = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const HistoryEvent& event = events[i];
      if (event.kind() == HistoryKind::receive) {
        unknown += event.match == kNoEvent;
        if (event.match != kNoEvent) receive(event, first_ + static_cast<std::uint32_t>(i));
        work_.piece_of[i] = piece_;
      } else if (event.kind() == HistoryKind::send && event.peer != kNoPeer) {
        send(event);
      }
    }
    const std::string subject = fmt::format("process '{}'", name(server_));
    if (unknown > 0)
      return Error{
          fmt::format("{} receives {} messages from outside the computation, or whose SEND is lost: their "
                      "arrival is not known; --everybody includes all processes",
                      subject, unknown)};
    if (work_.requests == 0) return Error{subject + " receives no requests: copies would have nothing to do"};
    find_caveats();
    return std::move(work_);
  }

 private:
  const std::string& name(std::uint32_t process) const { return history_.info.processes[process].name; }

  void receive(const HistoryEvent& event, std::uint32_t number) {
    const auto [entry, is_new] = peers_.try_emplace(event.peer);
    Peer& peer = entry->second;
    if (is_new) peer.is_client = event.peer != server_;
    if (peer.is_client) {
      piece_ = number;
      pieces_[number] = {event.peer, event.length_bytes, 0, {}};
      if (work_.requests++ == 0) work_.first_request = number;
    } else if (!peer.asked.empty()) {
      piece_ = peer.asked.front();
      peer.asked.pop_front();
    } else {
      piece_ = peer.last_asked;
    }
  }

  void send(const HistoryEvent& event) {
    Peer& peer = peers_[event.peer];  // a new peer was spoken to first: it is not a client
    const auto piece = pieces_.find(piece_);
    if (!peer.is_client) {
      peer.asked.push_back(piece_);
      peer.last_asked = piece_;
      if (piece != pieces_.end()) ++piece->second.asked[event.peer];
    } else if (piece != pieces_.end()) {
      ++answers_;
      if (piece->second.client == event.peer) {
        ++piece->second.answers;
      } else {
        ++answers_to_others_;
      }
    }
  }

  void find_caveats() {
    const auto add_caveat = [this](const std::string& what) { work_.caveats.push_back(what); };
    if (answers_to_others_ > 0)
      add_caveat(of(answers_to_others_, answers_) +
                 " answers go to a client whose request is not the current one: it remembers which clients wait");
    std::uint64_t unanswered = 0;
    for (const auto& entry : pieces_) unanswered += entry.second.answers == 0;
    if (unanswered > 0 && unanswered < pieces_.size())
      add_caveat(of(unanswered, pieces_.size()) + " requests get no answer before the next request");
    find_varied_questions();
    const IntakeLimit limit = find_intake_limits(history_)[server_];
    if (limit.exists())
      add_caveat(fmt::format("it takes no more than {} requests at a time; so does each copy", limit.most));
  }

  // A cache asks for what it does not have, and has it the next time.
  void find_varied_questions() {
    std::map<std::uint32_t, std::map<std::pair<std::string, std::uint32_t>, std::set<std::uint64_t>>> numbers;
    std::set<std::uint32_t> asked;
    for (const auto& entry : pieces_)
      for (const auto& [peer, count] : entry.second.asked) asked.insert(peer);
    for (const std::uint32_t peer : asked) {
      std::uint64_t with = 0;
      bool varied = false;
      for (const auto& entry : pieces_) {
        const Piece& piece = entry.second;
        const auto questions = piece.asked.find(peer);
        const std::uint64_t count = questions == piece.asked.end() ? 0 : questions->second;
        with += count > 0;
        auto& seen = numbers[peer][{history_.info.processes[piece.client].program, piece.request_bytes}];
        seen.insert(count);
        varied |= seen.size() > 1;
      }
      if (varied)
        work_.caveats.push_back(
            fmt::format("{} requests make it ask '{}', and others like them do not, or not as often: as with a cache",
                        of(with, pieces_.size()), name(peer)));
    }
  }

  const History& history_;
  const std::uint32_t server_, first_;
  ServerWork work_;
  std::map<std::uint32_t, Peer> peers_;
  std::map<std::uint32_t, Piece> pieces_;  // by their first RECEIVE
  std::uint32_t piece_ = kNoEvent;         // at hand
  std::uint64_t answers_ = 0, answers_to_others_ = 0;
};

}  // namespace

Result<ServerWork> find_server_work(const History& history, ProcessId server) { return Reader(history, server).read(); }

}  // namespace dpm
