#include "control/protocol/control_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "control/protocol/control_fields.hpp"
#include "model/utf8.hpp"
#include "os/hexadecimal.hpp"

namespace dpm::control {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLengthBytes = 4;

// ---- what both directions check

std::string text_problem(std::string_view text, TextRule rule) {
  if (text.empty() && !rule.may_be_empty) return "is empty";
  if (text.size() > rule.bytes_max)
    return fmt::format("has {} bytes, of which {} are allowed", text.size(), rule.bytes_max);
  if (text.find('\0') != std::string_view::npos) return "has a zero byte in it";
  return "";
}

std::string digits_problem(std::string_view text, std::size_t count) {
  if (text.size() == count && is_hexadecimal(text)) return "";
  return fmt::format("is not {} hexadecimal digits", count);
}

std::string raw_problem(std::string_view bytes) {
  if (bytes.size() <= kChunkBytesMax) return "";
  return fmt::format("has {} bytes, of which {} are allowed", bytes.size(), kChunkBytesMax);
}

std::string number_problem(std::uint64_t number, std::uint64_t least, std::uint64_t most) {
  if (number >= least && number <= most) return "";
  return fmt::format("is {}, outside of {} to {}", number, least, most);
}

std::string list_problem(std::size_t entries) {
  if (entries <= kListEntriesMax) return "";
  return fmt::format("has {} entries, of which {} are allowed", entries, kListEntriesMax);
}

// Keeps the first of several problems.
class Complaint {
 public:
  void about(std::string_view field, const std::string& problem) {
    if (problem.empty() || !text_.empty()) return;
    constexpr std::size_t kFieldShown = 60, kProblemShown = 300;  // both may come from the other end
    text_ = fmt::format("'{}' {}", field.substr(0, kFieldShown), problem.substr(0, kProblemShown));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// ---- writing

Json text_as_json(const std::string& text) {
  if (is_utf8(text)) return text;
  return Json{{"hex", hexadecimal(text)}};
}

class Writer {
 public:
  void allow_unknown_fields() {}
  void text(const char* name, const std::string& value, TextRule rule) {
    complaint_.about(name, text_problem(value, rule));
    json_[name] = text_as_json(value);
  }
  void newer_text(const char* name, const std::string& value, TextRule rule) { text(name, value, rule); }
  void texts(const char* name, const std::vector<std::string>& values, TextRule rule) {
    Json list = Json::array();
    complaint_.about(name, list_problem(values.size()));
    for (const auto& value : values) {
      complaint_.about(name, text_problem(value, rule));
      list.push_back(text_as_json(value));
    }
    json_[name] = std::move(list);
  }
  void digits(const char* name, const std::string& value, std::size_t count) {
    complaint_.about(name, digits_problem(value, count));
    json_[name] = text_as_json(value);
  }
  template <typename Number>
  void number(const char* name, Number value, std::uint64_t least, std::uint64_t most) {
    complaint_.about(name, number_problem(value, least, most));
    json_[name] = value;
  }
  void pid(const char* name, std::uint32_t value) { number(name, value, 1, INT_MAX); }
  void flag(const char* name, bool value) { json_[name] = value; }
  template <typename Enum>
  void choice(const char* name, Enum value, std::initializer_list<const char*> names) {
    const auto index = static_cast<std::size_t>(value);
    DPM_CHECK(index < names.size());
    json_[name] = names.begin()[index];
  }
  void meter_flags(const char* name, MeterFlags value) { json_[name] = value.none() ? "" : to_string(value); }
  template <typename Object>
  void object(const char* name, Object& value) {
    json_[name] = written(name, value);
  }
  template <typename Object>
  void object_or_none(const char* name, Object& value, bool is_there) {
    json_[name] = is_there ? written(name, value) : Json();
  }
  template <typename Object>
  void objects(const char* name, std::vector<Object>& values) {
    Json list = Json::array();
    complaint_.about(name, list_problem(values.size()));
    for (auto& value : values) list.push_back(written(name, value));
    json_[name] = std::move(list);
  }
  void raw(const std::string& bytes) {
    complaint_.about("bytes", raw_problem(bytes));
    raw_ = &bytes;
  }

  Json& json() { return json_; }
  const std::string* raw_bytes() const { return raw_; }
  const std::string& problem() const { return complaint_.text(); }

 private:
  template <typename Object>
  Json written(const char* name, Object& value) {
    Writer inner;
    fields(inner, value);
    complaint_.about(name, inner.problem());
    return std::move(inner.json_);
  }

  Json json_ = Json::object();
  const std::string* raw_ = nullptr;
  Complaint complaint_;
};

// ---- reading

// False if it is not a text, in either form.
bool read_text(const Json& json, std::string& into) {
  if (json.is_string()) {
    into = json.get_ref<const std::string&>();
    return true;
  }
  if (!json.is_object() || json.size() != 1 || !json.contains("hex") || !json["hex"].is_string()) return false;
  const auto bytes = from_hexadecimal(json["hex"].get_ref<const std::string&>());
  if (bytes) into = *bytes;
  return bytes.has_value();
}

class Reader {
 public:
  Reader(const Json& json, std::string_view raw) : json_(json), raw_(raw) {}

  void allow_unknown_fields() { unknown_allowed_ = true; }
  void text(const char* name, std::string& value, TextRule rule) {
    const Json* found = find(name);
    if (found == nullptr) return;
    complaint_.about(name, read_text(*found, value) ? text_problem(value, rule) : "is not a text");
  }
  // A peer of an earlier version does not have it, and must be understood as far as its version.
  void newer_text(const char* name, std::string& value, TextRule rule) {
    if (json_.contains(name)) text(name, value, rule);
  }
  void texts(const char* name, std::vector<std::string>& values, TextRule rule) {
    const Json* list = find_list(name);
    if (list == nullptr) return;
    for (const auto& item : *list) {
      complaint_.about(
          name, read_text(item, values.emplace_back()) ? text_problem(values.back(), rule) : "is not a list of texts");
      if (!complaint_.text().empty()) return;
    }
  }
  void digits(const char* name, std::string& value, std::size_t count) {
    text(name, value, {count, true});
    complaint_.about(name, digits_problem(value, count));
  }
  template <typename Number>
  void number(const char* name, Number& value, std::uint64_t least, std::uint64_t most) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_number_unsigned()) return complaint_.about(name, "is not a whole number");
    const auto wide = found->template get<std::uint64_t>();
    complaint_.about(name, number_problem(wide, least, most));
    value = static_cast<Number>(wide);
  }
  void pid(const char* name, std::uint32_t& value) { number(name, value, 1, INT_MAX); }
  void flag(const char* name, bool& value) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_boolean()) return complaint_.about(name, "is neither true nor false");
    value = found->get<bool>();
  }
  template <typename Enum>
  void choice(const char* name, Enum& value, std::initializer_list<const char*> names) {
    std::string word;
    text(name, word, kName);
    const auto at = std::find(names.begin(), names.end(), word);
    if (at == names.end()) return complaint_.about(name, "is '" + word + "', which is unknown");
    value = static_cast<Enum>(at - names.begin());
  }
  void meter_flags(const char* name, MeterFlags& value) {
    std::string list;
    text(name, list, kSentence);
    const auto flags = apply_flags({}, list);
    if (!flags) return complaint_.about(name, "is wrong: " + flags.error().what);
    value = *flags;
  }
  template <typename Object>
  void object(const char* name, Object& value) {
    const Json* found = find(name);
    if (found != nullptr) read(name, *found, value);
  }
  template <typename Object>
  void object_or_none(const char* name, Object& value, bool) {
    const Json* found = find(name);
    if (found != nullptr && !found->is_null()) read(name, *found, value);
  }
  template <typename Object>
  void objects(const char* name, std::vector<Object>& values) {
    const Json* list = find_list(name);
    if (list == nullptr) return;
    for (const auto& item : *list) {
      read(name, item, values.emplace_back());
      if (!complaint_.text().empty()) return;
    }
  }
  void raw(std::string& bytes) {
    complaint_.about("bytes", raw_problem(raw_));
    bytes = raw_;
    raw_taken_ = true;
  }

  void expect(const char* name) { known_.insert(name); }
  // What is wrong with what was read, or with what was not.
  std::string problem() {
    if (!raw_taken_ && !raw_.empty()) complaint_.about("bytes", "follow a message that has none");
    if (unknown_allowed_ || !complaint_.text().empty()) return complaint_.text();
    for (const auto& item : json_.items())
      if (!known_.contains(item.key())) complaint_.about(item.key(), "is an unknown field");
    return complaint_.text();
  }

 private:
  const Json* find(const char* name) {
    expect(name);
    const auto found = json_.find(name);
    if (found != json_.end()) return &*found;
    complaint_.about(name, "is missing");
    return nullptr;
  }
  const Json* find_list(const char* name) {
    const Json* found = find(name);
    if (found == nullptr) return nullptr;
    complaint_.about(name, found->is_array() ? list_problem(found->size()) : "is not a list");
    return complaint_.text().empty() ? found : nullptr;
  }
  template <typename Object>
  void read(const char* name, const Json& json, Object& value) {
    if (!json.is_object()) return complaint_.about(name, "is not an object");
    Reader inner(json, {});
    fields(inner, value);
    complaint_.about(name, inner.problem());
  }

  const Json& json_;
  std::string_view raw_;
  bool raw_taken_ = false, unknown_allowed_ = false;
  std::set<std::string, std::less<>> known_;
  Complaint complaint_;
};

// ---- messages

constexpr const char* kTypeField = "type";
constexpr const char* kNumberField = "number";

template <typename Body>
Result<void> append_body(std::string& out, std::uint8_t kind, const Body& body, const std::uint64_t* number) {
  return std::visit(
      [&](auto message) -> Result<void> {  // a copy: fields() shows what could be changed
        const std::string type(type_name<decltype(message)>());
        Writer writer;
        fields(writer, message);
        if (!writer.problem().empty())
          return Error{fmt::format("a message '{}' that cannot be sent: {}", type, writer.problem())};
        writer.json()[kTypeField] = type;
        if (number != nullptr) writer.json()[kNumberField] = *number;
        const std::string text = writer.json().dump();
        const std::string_view raw = writer.raw_bytes() != nullptr ? *writer.raw_bytes() : std::string_view();
        if (kLengthBytes + text.size() + raw.size() > kFrameBodyBytesMax)
          return Error{fmt::format("a message '{}' of {} bytes, of which {} are allowed", type,
                                   text.size() + raw.size(), kFrameBodyBytesMax)};
        std::string framed;
        framed.reserve(kLengthBytes + text.size() + raw.size());
        for (unsigned shift = 0; shift < 32; shift += 8)
          framed.push_back(static_cast<char>(text.size() >> shift & 0xFF));
        framed.append(text).append(raw);
        append_frame(out, kind, framed);
        return {};
      },
      body);
}

struct Parts {
  Json json;
  std::string_view raw;
  std::string type;
};

Result<Parts> take_apart(std::string_view body) {
  if (body.size() < kLengthBytes) return Error{"a control message too short to be one"};
  std::size_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(body[i]);
  body.remove_prefix(kLengthBytes);
  if (length > body.size()) return Error{"a control message whose text is longer than the message"};
  Parts parts{Json::parse(body.substr(0, length), nullptr, false), body.substr(length), ""};
  if (!parts.json.is_object()) return Error{"a control message whose text is not a JSON object"};
  const auto type = parts.json.find(kTypeField);
  if (type == parts.json.end() || !type->is_string()) return Error{"a control message without a type"};
  parts.type = type->get<std::string>();
  return parts;
}

// Tries the variant's types from `index` on.
template <typename Body, std::size_t index = 0>
Result<Body> read_body(const Parts& parts, std::uint64_t* number) {
  if constexpr (index == std::variant_size_v<Body>) {
    std::string shown;
    for (const char c : parts.type.substr(0, 40)) shown += c >= ' ' && c <= '~' ? c : '?';
    return Error{fmt::format("an unexpected control message '{}'", shown)};
  } else {
    using Message = std::variant_alternative_t<index, Body>;
    if (parts.type != type_name<Message>()) return read_body<Body, index + 1>(parts, number);
    Message message;
    Reader reader(parts.json, parts.raw);
    reader.expect(kTypeField);
    if (number != nullptr) reader.number(kNumberField, *number, 0, UINT64_MAX);
    fields(reader, message);
    const std::string problem = reader.problem();
    if (!problem.empty()) return Error{fmt::format("a wrong message '{}': {}", parts.type, problem)};
    return Body(std::move(message));
  }
}

template <typename Message>
Result<ControlMessage> read_message(const Parts& parts) {
  Message message;
  std::uint64_t* number = nullptr;
  if constexpr (!std::is_same_v<Message, Report>) number = &message.number;
  auto body = read_body<decltype(message.body)>(parts, number);
  if (!body) return body.error();
  message.body = *std::move(body);
  return ControlMessage(std::move(message));
}

}  // namespace

Result<void> append_message(std::string& out, const ControlMessage& message) {
  if (const auto* request = std::get_if<Request>(&message))
    return append_body(out, kRequestFrame, request->body, &request->number);
  if (const auto* reply = std::get_if<Reply>(&message))
    return append_body(out, kReplyFrame, reply->body, &reply->number);
  return append_body(out, kReportFrame, std::get<Report>(message).body, nullptr);
}

Result<ControlMessage> decode_message(const Frame& frame) {
  const auto parts = take_apart(frame.body);
  if (!parts) return parts.error();
  if (frame.kind == kRequestFrame) return read_message<Request>(*parts);
  if (frame.kind == kReplyFrame) return read_message<Reply>(*parts);
  if (frame.kind == kReportFrame) return read_message<Report>(*parts);
  return Error{fmt::format("a frame of kind {}, which is not a control message", frame.kind)};
}

}  // namespace dpm::control
