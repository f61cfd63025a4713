// Where messages travel: flows (flow_table.hpp), and the sockets and pipes at their ends.
//
// Both ends of a connection know its two names, in opposite order, so a flow is found by (medium, sender's name,
// receiver's name). A socket is known by its cookie: programs pass, duplicate and inherit descriptors without a
// notified call, but the cookie stays.
//
// Forgetting. close() is not notified, so surveys find what is closed: the supervisor lists what the metered processes
// have open. A socket that is not in the list, and was not used meanwhile, is closed. A descriptor that is being passed
// between two processes, or that a process inherits which the supervisor has not met yet, is in no list; so a socket
// counts as closed only when two surveys in succession miss it. A survey is due when enough sockets and pipes have been
// added since the last one that each bears only a small part of its cost. The tables are bounded by what is open, and a
// constant.
//
//     one end closed, the other end open            both stay
//     both ends closed                              forgotten
//     closed, and the other end was never seen      lingers: the other end may still be described, because its
//                                                   process has not read yet; forgotten when kLingerMax others
//                                                   were closed later
//
// A later connection with the names of a forgotten one is a new connection, with its own channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/linux/calls/datagram_flows.hpp"
#include "backends/linux/calls/eventfds.hpp"
#include "backends/linux/calls/flow_table.hpp"
#include "backends/linux/calls/record_output.hpp"
#include "os/kernel/descriptor.hpp"
#include "os/kernel/open_files.hpp"

namespace dpm {

struct Socket {
  std::uint64_t id = 0;
  std::uint32_t first_pid = 0;  // the process that used it first
  SocketDescription description;
  Flow* out = nullptr;
  Flow* in = nullptr;
  bool announced = false;        // its SOCKET, CONNECT or ACCEPT has been recorded
  bool takes_datagrams = false;  // was counted among the sockets that do
  bool program_peeks = false;    // with MSG_PEEK
  std::uint64_t kept_back = 0;   // bytes that become a datagram with what is sent next (MSG_MORE)
  bool closed = false;           // no metered process has it open
  std::uint8_t missed = 0;       // the number of surveys in succession that missed it
  std::uint32_t survey = 0;      // the last one before its last use
};

class Conversations {
 public:
  static constexpr std::size_t kLingerMax = 4096;
  static constexpr std::size_t kSurveyEvery = 2000;  // sockets and pipes added, at least

  Conversations(TraceGrowth& growth, KernelChecks& checks)
      : flows_(growth, checks), datagrams_(flows_), eventfds_(flows_) {}

  // The socket with this cookie; nullptr if it has not been described.
  Socket* find(std::uint64_t id);
  // Describes a socket. A connected one gets its flows.
  Socket& add(std::uint64_t id, SocketDescription description);
  // The socket has another name now, or has got a peer.
  void describe_again(Socket& socket, SocketDescription description);

  Flow& pipe(std::uint64_t device, std::uint64_t inode);
  // Of neither a socket nor a descriptor: no survey finds it.
  Flow& add_flow(ChannelInfo described) { return flows_.add(std::move(described)); }
  void remove_flow(Flow& flow) { flows_.remove(flow); }
  Eventfds& eventfds() { return eventfds_; }
  // The flow of a datagram that this socket sends to the name, or receives from it. A socket that is bound to every
  // address does not show to which one a datagram was sent: then any address of this machine matches.
  // The kernel binds an unbound sender at its first send. The flow gets the sender's name at the next send or receive
  // of the same socket, or when the receiver first sees a datagram whose sender is known.
  Flow& datagrams_to(const Socket& sender, const std::string& receiver) { return datagrams_.to(sender, receiver); }
  Flow& datagrams_from(const std::string& sender, const Socket& receiver) { return datagrams_.from(sender, receiver); }
  DatagramAccounts& accounts() { return datagrams_.accounts(); }
  // The addresses of this machine. If the list is empty, every address may be one.
  void set_local_addresses(std::vector<std::string> addresses) { datagrams_.set_local_addresses(std::move(addresses)); }

  std::uint32_t channel_set_of(Flow& flow) { return flows_.channel_set_of(flow); }
  void reader_is(Flow& flow, ProcessId reader) { flows_.reader_is(flow, reader); }
  // nullptr if it has been removed.
  const Flow* find_flow(ChannelId channel) const { return flows_.find(channel); }

  void were_passed_by() { flows_.were_passed_by(); }

  // ---- forgetting
  bool wants_survey() const { return sockets_.size() + pipes_.size() >= survey_at_; }
  // What is used or added from now on is open, whatever the survey finds.
  void begin_survey() { ++survey_; }
  void end_survey(const OpenFiles& open);
  void is_used(Socket& socket);
  bool has_removed() const { return flows_.has_removed(); }
  void free_removed() { flows_.free_removed(); }
  void check_all() const { flows_.check_all(); }
  template <typename Handle>
  void for_each_flow(Handle&& handle) {
    flows_.for_each(handle);
  }
  bool has_unchecked_tcp() const { return flows_.has_unchecked_tcp(); }

  // How much is known now.
  struct Sizes {
    std::size_t flows = 0, sockets = 0, pipes = 0, names = 0;
  };
  Sizes sizes() const;

 private:
  struct Pipe {
    Flow* flow = nullptr;
    std::uint8_t missed = 0;
    std::uint32_t survey = 0;
  };
  Flow& flow_by(const std::string& key, const ChannelInfo& described);
  void find_flows(Socket& socket);
  void join(Socket& socket, const std::string& own, const std::string& peer);
  void join_unix(Socket& socket);
  void be_other_end(Socket& socket, const Socket& peer);
  void await_accept(const Socket& client);
  Socket* take_ended_client(const SocketDescription& accepted);
  void is_accepted(const Socket& client);
  void point(Socket& socket, Flow* out, Flow* in);
  Socket* other_end(const Socket& socket);
  void close(Socket& socket);
  void forget(Socket& socket);
  void release(Flow* flow);
  void forget_oldest_lingering();

  FlowTable flows_;
  DatagramFlows datagrams_;
  Eventfds eventfds_;
  std::unordered_map<std::string, Flow*> by_key_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Pipe> pipes_;  // by device and inode
  std::unordered_map<std::uint64_t, std::unique_ptr<Socket>> sockets_;
  std::unordered_map<std::uint64_t, std::uint64_t> by_unix_peer_;  // sockets by the inode of their peer
  std::unordered_map<std::uint64_t, std::uint64_t> unaccepted_;    // sockets without a known peer by their inode,
  std::unordered_map<std::string, std::deque<std::uint64_t>> unaccepted_at_;  // and by the listener's name, in order
  std::deque<std::uint64_t> lingering_;                                       // the oldest first
  std::uint32_t survey_ = 0;
  std::size_t survey_at_ = kSurveyEvery;
};

}  // namespace dpm
