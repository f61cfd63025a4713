#include "control/transport/frames/meter_frames.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "os/hexadecimal.hpp"
#include "text/json_mistake.hpp"
#include "trace/json_number.hpp"

namespace dpm::wire {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameBytesMax = 400;  // of a meter's identity, and of a reason

// Other numbers than those of the control protocol, so that a peer at the wrong port is refused.
enum class Kind : std::uint8_t { hello = 64, resume, names, events, over, ack, filter_gone };

struct Wrong {
  std::string what;
};

void append_number(std::string& out, std::uint64_t value) {
  for (unsigned shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(value >> shift & 0xFF));
}

// The unread rest of a body.
class Body {
 public:
  explicit Body(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    if (bytes_.size() < 8) throw Wrong{"it is too short"};
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(8);
    return value;
  }
  bool flag() {
    const std::uint64_t value = number();
    if (value > 1) throw Wrong{"it says neither yes nor no"};
    return value == 1;
  }
  void end() const {
    if (!bytes_.empty()) throw Wrong{"it is too long"};
  }

 private:
  std::string_view bytes_;
};

MeterKey key_from(const std::string& text) {
  MeterKey key;
  if (text.size() != 2 * key.bytes.size()) throw Wrong{"its key has the wrong length"};
  if (!read_hexadecimal(text, key.bytes)) throw Wrong{"its key is not hexadecimal"};
  return key;
}

std::string name_from(const Json& json, const char* what) {
  std::string name = json.at(what).get<std::string>();
  if (name.size() > kNameBytesMax) throw Wrong{fmt::format("its {} is too long", what)};
  return name;
}

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string body_of(const Hello& hello) {
  const auto shortened = [](const std::string& name) { return name.substr(0, kNameBytesMax / 3); };  // as UTF-8
  return text_of({{"version", hello.version},
                  {"key", hexadecimal(hello.key.bytes)},
                  {"machine", shortened(hello.identity.machine)},
                  {"pid", hello.identity.pid},
                  {"job", shortened(hello.identity.job)},
                  {"name", shortened(hello.identity.name)},
                  {"first_event", hello.first_event}});
}
std::string body_of(const Resume& resume) {
  std::string body;
  append_number(body, resume.known ? 1 : 0);
  append_number(body, resume.names);
  append_number(body, resume.events);
  append_number(body, resume.names_passed);
  append_number(body, resume.events_passed);
  return body;
}
std::string body_of(const Names& names) {
  std::string body;
  append_number(body, names.number);
  return body + names.text;
}
std::string body_of(const Events& events) {
  std::string body;
  body.reserve(8 + events.messages.size());
  append_number(body, events.first);
  return body + events.messages;
}
std::string body_of(const Over& over) { return to_json(over.account); }
std::string body_of(const Ack& ack) {
  std::string body;
  append_number(body, ack.names);
  append_number(body, ack.events);
  append_number(body, ack.over ? 1 : 0);
  return body;
}
std::string body_of(const FilterGone& gone) { return gone.why.substr(0, kNameBytesMax); }

Hello hello_from(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) throw Wrong{"its text is not JSON"};
  Hello hello;
  hello.version = whole_number<std::uint32_t>(json.at("version"));
  // First: another version may have other fields.
  if (hello.version != kMeterVersion)
    throw Wrong{fmt::format("the meter speaks version {}, this collector version {}: use the same dpm on both machines",
                            hello.version, kMeterVersion)};
  hello.key = key_from(json.at("key").get<std::string>());
  hello.identity.machine = name_from(json, "machine");
  hello.identity.pid = whole_number<std::uint32_t>(json.at("pid"));
  hello.identity.job = name_from(json, "job");
  hello.identity.name = name_from(json, "name");
  hello.first_event = whole_number<std::uint64_t>(json.at("first_event"));
  return hello;
}

Resume resume_from(Body body) {
  Resume resume;
  resume.known = body.flag();
  resume.names = body.number();
  resume.events = body.number();
  resume.names_passed = body.number();
  resume.events_passed = body.number();
  body.end();
  return resume;
}

Ack ack_from(Body body) {
  Ack ack;
  ack.names = body.number();
  ack.events = body.number();
  ack.over = body.flag();
  body.end();
  return ack;
}

Events events_from(std::string body) {
  Events events;
  events.first = Body(body).number();
  body.erase(0, 8);
  events.messages = std::move(body);
  if (events.messages.empty() || events.messages.size() % kMeterMessageBytes != 0)
    throw Wrong{"its events are not whole messages"};
  if (events.count() > kEventsPerFrameMax) throw Wrong{"it has too many events"};
  if (events.first > UINT64_MAX / 2) throw Wrong{"its number is impossible"};
  return events;
}

MeterFrame frame_from(Frame frame) {
  switch (static_cast<Kind>(frame.kind)) {
    case Kind::hello:
      return hello_from(frame.body);
    case Kind::resume:
      return resume_from(Body(frame.body));
    case Kind::names: {
      const std::uint64_t number = Body(frame.body).number();
      return Names{number, frame.body.substr(8)};
    }
    case Kind::events:
      return events_from(std::move(frame.body));
    case Kind::over: {
      auto account = meter_account_from_json(frame.body);
      if (!account) throw Wrong{account.error().what};
      return Over{*std::move(account)};
    }
    case Kind::ack:
      return ack_from(Body(frame.body));
    case Kind::filter_gone:
      return FilterGone{frame.body.substr(0, kNameBytesMax)};
  }
  throw Wrong{"there is no such kind"};
}

}  // namespace

void append_meter_frame(std::string& out, const MeterFrame& frame) {
  const auto kind = static_cast<std::uint8_t>(static_cast<std::size_t>(Kind::hello) + frame.index());
  append_frame(out, kind, std::visit([](const auto& content) { return body_of(content); }, frame));
}

Result<MeterFrame> parse_meter_frame(Frame frame) {
  const std::string kind = std::to_string(frame.kind);
  try {
    return frame_from(std::move(frame));
  } catch (const Wrong& wrong) {
    return Error{fmt::format("a frame of kind {} cannot be understood: {}", kind, wrong.what)};
  } catch (const nlohmann::json::exception& wrong) {
    return Error{fmt::format("a frame of kind {} cannot be understood: {}", kind, json_content_mistake(wrong.what()))};
  }
}

}  // namespace dpm::wire
