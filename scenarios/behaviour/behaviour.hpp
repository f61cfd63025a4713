// A program written in a scenario file, as data: what to do at the start, and what to do on a message of a kind.
//
//   start: steps done once                          on: [kind, from] -> steps done for each message that matches
//
// A step computes, sends, calls, replies, forwards, waits, stops, or holds other steps (choose, repeat, if). Names of
// processes are resolved already: the loader (scenarios/loader/behaviour_reader.hpp) has put the members of a group in place of
// its name, and has seen to it that every link exists.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/random.hpp"

namespace dpm {

// A number, or a distribution to draw it from. Never negative.
struct Quantity {
  enum class Kind { constant, uniform, exponential, choice };

  Kind kind = Kind::constant;
  double low = 0;   // the constant, the low end, or the mean
  double high = 0;  // the high end
  std::vector<double> values;   // of a choice
  std::vector<double> weights;  // as many

  static Quantity constant(double value) { return {Kind::constant, value, 0, {}, {}}; }
  double draw(Random& random) const;
};

// Which of `weights` comes up; they are not negative and not all zero.
std::size_t draw_weighted(const std::vector<double>& weights, Random& random);

enum class Verb { compute, send, call, reply, forward, wait, choose, repeat, stop, set, count, test };

// Which member of a group a message goes to.
enum class Pick { random, in_turn, all };

using ProcessNames = std::shared_ptr<const std::vector<std::string>>;

struct Step {
  Verb verb = Verb::compute;
  double probability = 1;  // that the step is done at all

  Quantity amount;             // compute: seconds; messages: bytes
  bool same_bytes = false;     // forward: as many as the message had
  std::uint32_t code = 0;      // the message's kind
  bool any_kind = false;       // wait
  ProcessNames processes;      // send, call, forward: to; wait: from. Null: to the sender of the message, or from anybody
  Pick pick = Pick::random;
  std::size_t number = 0;      // of this step in its behaviour

  std::uint64_t times = 1;     // repeat, wait
  std::vector<Step> steps;     // repeat, test
  std::vector<Step> otherwise; // test
  std::vector<double> weights; // choose
  std::vector<std::vector<Step>> branches;

  std::size_t variable = 0;    // set, count, test
  double value = 0;            // set: to, count: by, test: at least
};

struct Handler {
  std::uint32_t code = 0;
  bool any_kind = false;
  ProcessNames from;  // null: from anybody
  std::vector<Step> steps;
};

struct Behaviour {
  std::vector<Step> start;
  std::vector<Handler> handlers;  // the first that matches is used
  std::vector<double> variables;  // their first values
  std::size_t step_count = 0;
  bool per_request = false;       // draws depend on the message alone, not on what the process did before
};

// The program that behaves so. `senders`: the processes that hold a link to this one.
Program make_program(std::shared_ptr<const Behaviour> behaviour, ProcessNames senders);

}  // namespace dpm
