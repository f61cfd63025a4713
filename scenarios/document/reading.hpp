// Reading typed values out of a JsonNode, with every problem named by file and line.
//
// Problems are collected, not thrown: a reader that finds one reports it, returns a harmless value and goes on, so that
// one run shows all mistakes of a file. Check problems.empty() before you use what was read.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/parameters.hpp"
#include "scenarios/document/expression.hpp"
#include "scenarios/document/json_node.hpp"

namespace dpm {

class Problems {
 public:
  explicit Problems(std::string path) : path_(std::move(path)) {}

  void add(int line, const std::string& what);
  bool empty() const { return found_.empty(); }
  std::size_t size() const { return found_.size(); }

  // The first ones by line, each on a line of its own.
  Error error() const;

 private:
  std::string path_;
  std::multimap<int, std::string> found_;
};

// What "$name" stands for. Inner names hide outer ones.
struct Environment {
  const Environment* outer = nullptr;
  std::map<std::string, ParameterValue> values = {};

  const ParameterValue* find(const std::string& name) const;
  std::vector<std::string> names() const;
};

// The keys an object may have. `name` is that of its definition in scenario.schema.json, `noun` is for messages.
struct KeyTable {
  std::string name;
  std::string noun;
  std::vector<std::string> keys;
};

struct Range {
  double low = 0;
  double high = 1e15;
  bool above_low = false;  // `low` itself is refused
};

bool in_range(double value, Range range);
// Why a value is refused: "at most 7, not 9".
std::string within_but_is(double value, Range range);

inline constexpr double kLargestCount = 100000;                  // machines, processes, members of a group
inline constexpr double kLongestTime_s = 1e6;                    // of anything given in seconds
inline constexpr double kLargestExactNumber = 9007199254740992;  // 2^53: beyond it a double skips whole numbers
inline constexpr Range kTime{0, kLongestTime_s};
inline constexpr Range kAnyNumber{-1e15, 1e15};
inline constexpr Range kSpeed{0, 1e9, true};
inline constexpr Range kCount{0, kLargestCount};
inline constexpr Range kBytes{0, 4294967295.0};
inline constexpr Range kSeed{0, kLargestExactNumber};

// Names whose value is known only when the program runs: nothing if it is not one of them.
using LaterNames = std::function<std::optional<Result<KnownLater>>(const std::string& name)>;

struct Reading {
  Problems& problems;
  const Environment& names;

  // A number, "$name" of a parameter that is one, or "${EXPRESSION}" (expression.hpp) of such names.
  double number(const JsonNode& node, const std::string& what, Range range) const;
  std::uint64_t whole(const JsonNode& node, const std::string& what, Range range) const;
  bool flag(const JsonNode& node, const std::string& what) const;
  // Not empty.
  std::string text(const JsonNode& node, const std::string& what) const;
  // A text in which "$index" stands for the number of the group's member, and "${EXPRESSION}" for a whole number.
  std::string text_with_index(const JsonNode& node, const std::string& what) const;
  // A text, or "$name" of a parameter that is one; "$index" as above.
  std::string name(const JsonNode& node, const std::string& what) const;
  // False, and reported, when it is of another kind.
  bool expect(const JsonNode& node, JsonKind kind, const std::string& what) const;
  // One of a few words.
  std::string word(const JsonNode& node, const std::string& what, const std::vector<std::string>& words) const;
  // A list of texts, or one text for a list of one.
  std::vector<std::string> texts(const JsonNode& node, const std::string& what) const;
  std::vector<double> numbers(const JsonNode& node, const std::string& what, Range range) const;

  // Nothing, and reported, when it is not one.
  std::optional<Expression> expression(const std::string& text, const JsonNode& node, const std::string& what,
                                       const LaterNames& later) const;
  // Nothing, and reported, when it has no value.
  std::optional<double> value_of(const std::string& text, const JsonNode& node, const std::string& what) const;

  void problem(const JsonNode& node, const std::string& what) const { problems.add(node.line, what); }
};

// One object of the file: its keys are looked up by name, and those that no reader may look up are refused when it is made.
class ObjectReader {
 public:
  ObjectReader(const JsonNode& node, const KeyTable& table, const Reading& reading);
  ~ObjectReader();
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;

  const JsonNode& node() const { return node_; }
  bool has(const std::string& key) const { return node_.find(key) != nullptr; }
  const JsonNode* find(const std::string& key);
  const JsonNode* need(const std::string& key);  // reported when missing

  double number(const std::string& key, double otherwise, Range range);
  std::uint64_t whole(const std::string& key, std::uint64_t otherwise, Range range);
  bool flag(const std::string& key, bool otherwise);
  std::string text(const std::string& key, const std::string& otherwise);
  std::string needed_text(const std::string& key);
  std::string word(const std::string& key, const std::string& otherwise, const std::vector<std::string>& words);

 private:
  const JsonNode& node_;
  const KeyTable& table_;
  const Reading& reading_;
  std::set<std::string> asked_;
};

// " (did you mean 'x'?)", or, when nothing is near, "; there is a, b and c" if they are few.
std::string hint(const std::string& typed, const std::vector<std::string>& valid);

}  // namespace dpm
