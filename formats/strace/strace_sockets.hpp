// What the descriptors of a strace log lead to: sockets, pipes and FIFOs, and which direction of a connection each sends to and receives from.
//
// With -yy each descriptor says it: "7<TCP:[127.0.0.1:7733->127.0.0.1:40854]>". With -y it has a number, "7<socket:[501]>", and without either
// it is only 7. Then the calls are followed that make, pass on and close descriptors: socket, bind, connect, accept, pipe, socketpair, dup,
// fcntl, close, fork, exec, SCM_RIGHTS. A connect and the accept of its connection are joined by port or path, in their order, and by the
// address of the client where accept says it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "formats/strace/strace_channels.hpp"
#include "model/ids.hpp"

namespace dpm {

using StraceSocketId = std::uint32_t;
inline constexpr StraceSocketId kNoSocket = UINT32_MAX;

// A socket, an end of a pipe, or a FIFO.
struct StraceSocket {
  ChannelMedium medium = ChannelMedium::unknown;  // unknown: of another family, or not known
  bool is_datagram = false;
  bool is_named = false;      // by -yy: its directions follow from its ends
  std::string local, remote;  // as far as they are known
  StraceDirectionId out = kNoDirection, in = kNoDirection;
  // Of a UDP socket whose port is not known yet, by the other end.
  std::map<std::string, StraceDirectionId> unnamed_out, unnamed_in;
  bool is_foreign = false;  // of a family that leads to no process, as netlink
};

class StraceSockets {
 public:
  explicit StraceSockets(TraceInfo& info) : channels_(info) {}

  // What an argument or a result leads to; none: a file, or not known.
  StraceSocketId find(ProcessId process, std::string_view descriptor);
  StraceSocket& operator[](StraceSocketId id) { return sockets_[id]; }
  StraceChannels& channels() { return channels_; }

  // Where a message goes or comes from; `peer` is the address that the call has, or empty. None: not known.
  StraceDirectionId sending(StraceSocketId socket, const std::string& peer);
  StraceDirectionId receiving(StraceSocketId socket, const std::string& peer);

  // Calls that returned. `returned` is a result with what strace says of it: "7<TCP:[...]>".
  void made(ProcessId process, std::string_view returned, std::string_view domain, std::string_view type);
  void made_pair(ProcessId process, std::string_view first, std::string_view second, std::string_view domain,
                 std::string_view type);
  void made_pipe(ProcessId process, std::string_view reading, std::string_view writing, std::string_view flags);
  StraceSocketId accepted(ProcessId process, std::string_view listener, std::string_view returned,
                          const std::string& peer, std::string_view flags);
  void connects(ProcessId process, std::string_view descriptor, const std::string& address);  // the call begins
  void connect_failed(ProcessId process, std::string_view descriptor);
  void has_local(ProcessId process, std::string_view descriptor, const std::string& address);
  void has_remote(ProcessId process, std::string_view descriptor, const std::string& address);
  void copied(ProcessId process, std::string_view from, std::int64_t to, bool closed_by_exec);
  void closed(ProcessId process, std::int64_t first, std::int64_t last);
  void close_by_exec(ProcessId process, std::string_view descriptor, bool closed_by_exec);
  void passes(ProcessId process, std::string_view carrier, std::string_view descriptors);  // by SCM_RIGHTS: "[3, 4]"
  void takes(ProcessId process, std::string_view carrier, std::string_view descriptors);

  void is_fifo(std::string_view path);
  void opened(ProcessId process, std::string_view path, std::int64_t descriptor, std::string_view flags);

  void created(ProcessId child, ProcessId maker, bool shares_descriptors);
  void executed(ProcessId process);
  void ended(ProcessId process);

  void settle() { channels_.settle(); }

  bool saw_ends() const { return saw_ends_; }                         // -yy
  bool saw_descriptors() const { return saw_descriptors_; }           // -y or -yy
  std::uint64_t joined_by_order() const { return joined_by_order_; }  // connections

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  template <typename Value>
  using ByText = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;
  struct Entry {
    StraceSocketId socket = kNoSocket;
    bool closed_by_exec = false;
  };
  using Descriptors = std::map<std::int64_t, Entry>;  // those that lead to sockets
  enum class AnnotationKind : std::uint8_t { other, socket, path };
  struct Annotation {
    AnnotationKind kind = AnnotationKind::other;
    StraceSocketId socket = kNoSocket;
  };

  StraceSocketId add(StraceSocket socket);
  Annotation read_annotation(std::string_view text);
  StraceSocketId of_number(std::string_view number);  // of -y
  StraceSocketId find_path(std::string_view path);
  Descriptors& descriptors(ProcessId process);
  // What a call has just made, under its descriptor or its number.
  StraceSocketId place(ProcessId process, std::string_view returned, StraceSocket socket, bool closed_by_exec);
  void set_local(StraceSocketId socket, const std::string& address);
  void set_remote(StraceSocketId socket, const std::string& address);
  void link(StraceSocketId socket);
  bool join(StraceSocketId client, StraceSocketId accepted);
  StraceDirectionId udp(StraceSocketId socket, const std::string& peer, bool sends);

  StraceChannels channels_;
  std::vector<StraceSocket> sockets_;
  ByText<Annotation> annotations_;
  ByText<StraceSocketId> by_number_;
  ByText<std::string> unix_peers_;  // of -yy, by number of the socket
  ByText<StraceSocketId> fifos_;
  std::vector<std::shared_ptr<Descriptors>> descriptors_;  // by process
  ByText<std::deque<StraceSocketId>> connecting_,
      unclaimed_;                               // by port or path: clients, and accepted connections without one
  ByText<std::deque<StraceSocketId>> unnamed_;  // UDP sockets that sent to this port without a known one
  std::unordered_map<StraceDirectionId, std::deque<StraceSocketId>> passed_;
  std::uint64_t pipes_ = 0, joined_by_order_ = 0;
  bool saw_ends_ = false, saw_descriptors_ = false;
};

}  // namespace dpm
