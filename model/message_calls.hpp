// What a program may do: compute and communicate (thesis 4.2.1). These are the kernel calls of DEMOS/MP.
//
// A program written against this interface runs as a simulated process, and where it makes sense as a real one over
// sockets. Links are one-way and always lead to the process that created them. A process refers to its links by their
// index in its own link table; the same link has different indices in different processes.
//
// Misuse (an index without a link, a receive on another process's link, a read outside a data area) ends the process
// with an error that names process and call, as a kernel would: it is never ignored.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "model/misuse.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

namespace dpm {

using LinkIndex = Id<struct LinkTag, std::uint32_t>;

// A part of the creator's address space that holders of the link may read or write with move_data().
struct DataArea {
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  bool read = false;
  bool write = false;
};

struct OutgoingMessage {
  std::uint32_t code = 0;          // what kind of message, for the programs
  std::uint32_t length_bytes = 0;  // its size on the wire; at least data.size()
  std::vector<std::byte> data = {};
  std::optional<LinkIndex> pass = std::nullopt;  // a link of mine the receiver gets a copy of
};

struct Message {
  ProcessId sender;
  LinkIndex over;  // the link of mine that it came over
  std::uint32_t code = 0;
  std::uint32_t length_bytes = 0;
  std::vector<std::byte> data;
  std::optional<LinkIndex> passed;    // the link that came with it, now in my table
  std::optional<LinkIndex> reply_to;  // the reply link, if it was sent with CALL
};

// A moment until which a process waits, by the exact clock of its message system. Only the system can read it.
struct Deadline {
  std::int64_t ns = 0;
};

// Which messages a receive takes: of those that have come and are wanted, one with the highest rank, and of these the
// earliest.
struct Selection {
  // Of a message of this kind over this link; nothing: it is left where it is.
  using Rank = std::function<std::optional<double>(LinkIndex over, std::uint32_t code)>;

  std::span<const LinkIndex> over = {};  // links I created; any if empty
  Rank rank = {};                        // all have the same unless given

  Selection() = default;
  template <typename Links>
  requires std::convertible_to<const Links&, std::span<const LinkIndex>> Selection(const Links& links) : over(links) {}
};

// The first of those that have the highest rank; `end`: none is wanted.
template <typename Iterator, typename RankOf>
Iterator first_of_highest_rank(Iterator begin, Iterator end, RankOf rank_of) {
  Iterator found = end;
  std::optional<double> highest;
  for (Iterator each = begin; each != end; ++each) {
    const std::optional<double> rank = rank_of(*each);
    if (rank <= highest) continue;  // nothing is less than any rank
    found = each;
    highest = rank;
  }
  return found;
}

// Links that every process has from its creation (thesis 4.3.2, step 2).
enum class StandardLink { switchboard, process_manager, kernel };

class MessageCalls {
 public:
  virtual ~MessageCalls() = default;

  // ---- links
  virtual LinkIndex create_link(std::optional<DataArea> area = std::nullopt) = 0;
  virtual LinkIndex duplicate_link(LinkIndex link) = 0;
  virtual void destroy_link(LinkIndex link) = 0;
  virtual LinkIndex standard_link(StandardLink which) const = 0;

  // Links set up by the scenario: `link_to(p)` leads to process p; `link_from(p)` is my end of p's link to me, for
  // selective receives. The process ends with an error if the scenario has no such link.
  virtual LinkIndex link_to(std::string_view process) const = 0;
  virtual LinkIndex link_from(std::string_view process) const = 0;

  // ---- messages
  // SENDMESSAGE: the sender continues at once.
  virtual void send_message(LinkIndex to, const OutgoingMessage& message) = 0;
  // RECEIVEMESSAGE: waits for a message of the selection.
  virtual Message receive_message(const Selection& selection = {}) = 0;
  // ARECEIVEMESSAGE: nothing if none is there.
  virtual std::optional<Message> a_receive_message(const Selection& selection = {}) = 0;
  // RECEIVEMESSAGE that gives up: nothing if none has come by `deadline`.
  virtual std::optional<Message> receive_message_until(Deadline deadline, const Selection& selection = {}) = 0;
  // CALL: sends with a reply link constructed by the kernel, and receives on it. The callee answers with reply(). A
  // link in `message.pass` is sent as well.
  virtual Message call(LinkIndex to, OutgoingMessage message) = 0;
  // CALL that gives up: nothing if no reply has come by `deadline`. A later reply is dropped: it is never taken for the
  // reply to another CALL.
  virtual std::optional<Message> call_until(Deadline deadline, LinkIndex to, OutgoingMessage message) = 0;
  // Several CALLs at once: all are sent, and then their replies are received, in the order in which they come. Fewer replies
  // than calls only if `deadline` has come.
  virtual std::vector<Message> call_all(std::span<const std::pair<LinkIndex, OutgoingMessage>> calls,
                                        std::optional<Deadline> deadline) = 0;
  // The kinds of messages that the next receives or calls wait for, in words, for the report of a deadlock: "'vote'".
  // `kinds` lives as long as the process does, and holds until it is set again. A process that `rests` has nothing to do until
  // a message comes; one that does not is in the middle of its work.
  virtual void set_awaited(std::string_view /*kinds*/, bool /*rests*/) {}
  // Answers a message that was sent with CALL, over its reply link, which is used up.
  virtual void reply(const Message& request, const OutgoingMessage& answer) = 0;
  // MOVEDATA: copies between the data areas of two links, as a sequence of messages sent by the kernels. One of the two
  // areas is usually the caller's own. Returns when the last message has been sent; wait for a message to know it has
  // arrived.
  virtual void move_data(LinkIndex from, LinkIndex to, std::uint64_t bytes) = 0;

  // ---- memory that the processes of a machine share (thesis 6.3.1)
  // V: gives a unit to the semaphore of the scenario.
  virtual void give_unit(std::string_view semaphore) { refuse_semaphore(semaphore); }
  // P: takes one, and waits until there is one.
  virtual void take_unit(std::string_view semaphore) { refuse_semaphore(semaphore); }

  // ---- the process itself
  // Uses CPU time (given for a machine of speed 1).
  virtual void compute(Duration cpu_time) = 0;
  // Declares that real work just done by the program would have taken this long on the modelled machine. Simulated: the
  // same as compute(). Native: nothing, because the work has already used its own CPU time.
  virtual void did_work(Duration cpu_time) = 0;
  // Waits without CPU time.
  virtual void sleep(Duration time) = 0;
  virtual Deadline deadline_in(Duration time) const = 0;
  // STOPTASK.
  [[noreturn]] virtual void stop_task() = 0;

  // A line for the user who runs the program, such as its result. It is not a message and costs no time.
  virtual void print_line(std::string_view text) = 0;

  virtual LocalTime local_time() const = 0;
  virtual const std::string& name() const = 0;
  virtual Random& random() = 0;                         // this process's own stream
  virtual std::vector<std::byte>& address_space() = 0;  // where data areas lie

 private:
  [[noreturn]] void refuse_semaphore(std::string_view semaphore) const {
    throw Misuse{"process '" + name() + "' uses semaphore '" + std::string(semaphore) +
                 "', and only simulated processes share memory"};
  }
};

}  // namespace dpm
