// A program written in a scenario file, as data: what to do at the start, and what to do on a message of a kind.
//
//   start: steps done once                          on: [kind, from] -> steps done for each message that matches
//
// A step computes, sends, calls, replies, forwards, waits, stops, or holds other steps (choose, repeat, dispatch, if).
// Names of processes are resolved already: the loader (scenarios/loader/behaviour_reader.hpp) has put the members of a
// group in place of its name, and has seen to it that every link exists.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/random.hpp"

namespace dpm {

// A number, or a distribution to draw it from. Never negative.
//
// Measured values are dealt, not drawn: each comes up as often as its weight says, in random order, before the deck is
// shuffled anew. So a process that draws as often as was measured uses exactly what was measured, and runs differ in
// the order alone.
struct Quantity {
  enum class Kind { constant, uniform, exponential, choice, measured };

  Kind kind = Kind::constant;
  double low = 0;               // the constant, the low end, or the mean
  double high = 0;              // the high end
  std::vector<double> values;   // of a choice, or measured
  std::vector<double> weights;  // as many; whole numbers of what was measured

  static Quantity constant(double value) { return {Kind::constant, value, 0, {}, {}}; }
};

// What is left of a deck that holds index i weights[i] times. One belongs to one step of one process.
class Deck {
 public:
  std::size_t deal(const std::vector<double>& weights, Random& random);

 private:
  std::vector<double> left_;
  double total_ = 0;
};

// `deck` is used by measured quantities alone.
double draw(const Quantity& quantity, Deck& deck, Random& random);

// Which of `weights` comes up; they are not negative and not all zero.
std::size_t draw_weighted(const std::vector<double>& weights, Random& random);

enum class Verb { compute, send, call, reply, forward, wait, choose, repeat, dispatch, stop, set, count, test };

// Which member of a group a message goes to. The requester is the one that last sent this process a message of the
// request being handled.
enum class Pick { random, in_turn, all, requester };

using ProcessNames = std::shared_ptr<const std::vector<std::string>>;

struct Step {
  Verb verb = Verb::compute;
  double probability = 1;  // that the step is done at all

  Quantity amount;          // compute: seconds; messages: bytes
  bool same_bytes = false;  // forward: as many as the message had
  std::uint32_t code = 0;   // the message's kind
  bool any_kind = false;    // wait
  ProcessNames processes;  // send, call, forward, dispatch: to; wait: from. Null: to the sender of the message, or from
                           // anybody
  bool by_name = false;    // to one process by its own name, not by its group's: it may be the sender itself
  Pick pick = Pick::random;
  std::size_t number = 0;  // of this step in its behaviour

  std::uint64_t times = 1;      // repeat, wait; dispatch: tasks
  std::vector<Step> steps;      // repeat, test; dispatch: before each of the first tasks
  std::vector<Step> otherwise;  // test; dispatch: before each later task
  std::vector<double> weights;  // choose
  bool dealt = false;           // choose: the weights are a deck
  // choose: branches one after the other, each order_times in a row, then from the beginning; empty: by weight.
  std::vector<std::size_t> order;
  std::vector<std::uint64_t> order_times;
  std::vector<std::vector<Step>> branches;

  std::uint32_t answer = 0;     // dispatch: kind of the answers
  std::uint64_t in_flight = 1;  // dispatch: tasks that a member has at a time
  std::vector<Step> rest;       // dispatch: after an answer, when no task is left
  std::vector<Step> tasks;      // dispatch: sends, of which each task is one; dealt by `weights`

  std::size_t variable = 0;  // set, count, test
  double value = 0;          // set: to, count: by, test: at least
};

struct Handler {
  std::uint32_t code = 0;
  bool any_kind = false;
  ProcessNames from;  // null: from anybody
  std::vector<Step> steps;
};

// At most so many messages from some processes are taken by handlers before one of them has been answered; the others
// wait in the queue.
struct Admission {
  ProcessNames from;  // null: no limit
  std::uint64_t at_most = 0;
};

struct Behaviour {
  std::vector<Step> start;
  std::vector<Handler> handlers;  // the first that matches is used
  std::vector<double> variables;  // their first values
  std::size_t step_count = 0;
  Admission admission;
  bool follows_requests = false;  // a step picks the requester
  bool per_request = false;       // draws depend on the message alone, not on what the process did before
};

// The program that behaves so. `senders`: the processes that hold a link to this one.
Program make_program(std::shared_ptr<const Behaviour> behaviour, ProcessNames senders);

}  // namespace dpm
