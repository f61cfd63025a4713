#include "scenarios/document/json_node.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "text/json_mistake.hpp"

namespace dpm {
namespace {

using nlohmann::json;

// Where the parser is in the text. The lexer has read a token exactly to its end, or, behind a number, one character
// further.
struct Position {
  int newlines = 0;
  char last = 0;

  int line() const { return 1 + newlines - (last == '\n' ? 1 : 0); }
};

// Hands the text to the parser character by character and counts lines on the way. No JSON token spans lines.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Position* position) : at_(at), position_(position) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    position_->last = *at_;
    if (*at_ == '\n') ++position_->newlines;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    const CountingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  Position* position_;
};

// What a message quotes need not be text.
std::string printable(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

// Builds the tree from the parser's callbacks; returning false stops it.
class TreeBuilder : public nlohmann::json_sax<json> {
 public:
  TreeBuilder(std::string_view text, const std::string& path, const Position& position)
      : text_(text), path_(path), position_(position) {}

  JsonNode root;
  Error error;

  bool null() override { return add(JsonKind::null) != nullptr; }
  bool boolean(bool value) override {
    add(JsonKind::boolean)->flag = value;
    return true;
  }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    add(JsonKind::text)->text = std::move(value);
    return true;
  }
  bool binary(binary_t&) override { return fail("binary data is not JSON"); }

  bool start_object(std::size_t) override { return open(JsonKind::object); }
  bool start_array(std::size_t) override { return open(JsonKind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& key) override {
    if (!keys_.back().insert(key).second) return fail(printable(key) + " is given twice in one object");
    open_.back()->members.push_back({std::move(key), position_.line(), {}});
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    const auto mistake = find_json_mistake(text_);
    error.what = mistake ? mistake->in_file(path_) : path_ + ": it cannot be read as JSON";
    return false;
  }

 private:
  bool fail(const std::string& what) {
    error.what = fmt::format("{}:{}: {}", path_, position_.line(), what);
    return false;
  }

  bool number(double value) {
    add(JsonKind::number)->number = value;
    return true;
  }

  // A value stands at the root, behind a key, or in a list. The pointers in open_ stay good: a parent gets its next
  // child only after the last one was closed.
  JsonNode* add(JsonKind kind) {
    JsonNode* node = &root;
    if (!open_.empty() && open_.back()->is(JsonKind::list)) {
      node = &open_.back()->items.emplace_back();
    } else if (!open_.empty()) {
      node = &open_.back()->members.back().value;
    }
    node->kind = kind;
    node->line = position_.line();
    return node;
  }

  bool open(JsonKind kind) {
    if (open_.size() >= kDeepestJson) return fail(fmt::format("nested deeper than {} levels", kDeepestJson));
    open_.push_back(add(kind));
    keys_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& path_;
  const Position& position_;
  std::vector<JsonNode*> open_;
  std::vector<std::set<std::string>> keys_;  // of the open objects
};

}  // namespace

const char* name_of(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::number:
      return "a number";
    case JsonKind::text:
      return "a text";
    case JsonKind::list:
      return "a list";
    case JsonKind::object:
      return "an object";
  }
  return "nothing";
}

std::string excerpt(const std::string& text) {
  constexpr std::size_t kShown = 80;
  if (text.size() <= kShown) return text;
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // within a character
  return text.substr(0, end) + "...";
}

const JsonNode* JsonNode::find(std::string_view key) const {
  for (const auto& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

Result<JsonNode> parse_json(std::string_view text, const std::string& path) {
  if (text.size() > kLongestJson) return Error{fmt::format("{}: longer than {} bytes", path, kLongestJson)};
  Position position;
  TreeBuilder builder(text, path, position);
  const bool complete = json::sax_parse(CountingIterator(text.data(), &position),
                                        CountingIterator(text.data() + text.size(), &position), &builder);
  if (!complete) return builder.error;
  return std::move(builder.root);
}

Result<JsonNode> load_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error::from_errno("open " + path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Error::from_errno("read " + path);
  return parse_json(text.str(), path);
}

}  // namespace dpm
