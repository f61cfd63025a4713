// What an expression of a high-level event has seen so far (event_evaluator.hpp): the partial matches that wait.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "filter/scripts/event_evaluator.hpp"

namespace dpm {

inline constexpr std::size_t kWaitingMost = 100'000;  // in one place of an event

struct Match {
  struct Part {
    PrimitiveOccurrence occurrence;
    std::shared_ptr<const VectorClock> clock;  // where a "then" outside asks what happened before it
    bool is_begin = true, is_end = true;       // nothing of the match happened before it, or after it
  };
  std::vector<Part> parts;
  std::array<WholeNumber, kVariablesMost> values{};
  std::uint8_t bound = 0;  // bits of the variables that have a value
  std::int64_t first_ns = 0, last_ns = 0;
  std::uint64_t first_number = 0, number = 0;  // of the occurrences that began and completed it
};

class ExpressionState {
 public:
  // `clocks_are_asked`: by a "then" of which this expression is a part of the right side.
  ExpressionState(const EventExpression& expression, bool clocks_are_asked);

  // Appends the matches that are complete now.
  void add(const PrimitiveOccurrence& occurrence, const VectorClock& clock, std::uint64_t number,
           std::vector<Match>& complete);
  void time_is(std::int64_t time_ns, std::vector<Match>& complete);
  std::uint64_t given_up() const;

 private:
  // Matches that wait for a partner: by the values that the partner must have too, and by the process of the first end.
  struct Waiting {
    using ByProcess = std::unordered_map<std::uint32_t, std::deque<Match>>;
    std::unordered_map<std::uint64_t, ByProcess> groups;
    std::size_t size = 0;
  };

  std::uint64_t key_of(const Match& match) const;
  void wait(Waiting& waiting, Match match);
  // Removes the latest that fits.
  std::optional<Match> take_fitting(Waiting& waiting, const Match& later, const VectorClock& clock, bool in_order);
  bool has_fitting(const Waiting& waiting, const Match& later, const VectorClock& clock, bool in_order) const;
  bool has_between(const Match& earlier, const Match& later, const VectorClock& clock) const;
  void wait_first(Match match);
  void drop_fitting(const Match& later, const VectorClock& clock, bool in_order);
  void drop_old(Waiting& waiting, std::int64_t before_ns);
  bool fits(const Match& earlier, const Match& later, const VectorClock& clock, bool in_order) const;
  void add_primitive(const PrimitiveOccurrence& occurrence, const VectorClock& clock, std::uint64_t number,
                     std::vector<Match>& complete) const;
  void combine(std::vector<Match>& left, std::vector<Match>& right, const VectorClock& clock,
               std::vector<Match>& complete);
  void add_counted(Match match, std::vector<Match>& complete);

  const EventExpression& expression_;
  bool clocks_are_asked_;
  std::vector<ExpressionState> parts_;
  // Bits of the variables that each match of the expression has, and those that its parts share.
  std::uint8_t surely_bound_ = 0, common_ = 0;
  Waiting left_, right_;
  std::unordered_map<std::uint64_t, std::deque<Match>> counted_;
  std::uint64_t given_up_ = 0;
};

}  // namespace dpm
