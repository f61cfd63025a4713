#include "trace/meter_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "model/unchecked.hpp"
#include "trace/json_number.hpp"
#include "trace/meter_names.hpp"
#include "trace/refused_json.hpp"
#include "trace/sound_event.hpp"

namespace dpm {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kTextsMax = 24;        // losses or warnings of one meter
constexpr std::size_t kTextBytesMax = 400;   // of one of them: escaped, 48 of these are still a small message
constexpr std::size_t kMetersMax = 1 << 20;  // of one stream; more is damage
constexpr std::size_t kWarningsMax = 1000;   // of all meters
constexpr std::size_t kReasonsMax = 1000;

// Control characters become spaces: escaped they would take six bytes each.
std::string within_text_limit(std::string text) {
  if (text.size() > kTextBytesMax) text = text.substr(0, kTextBytesMax) + "...";
  for (char& byte : text)
    if (static_cast<unsigned char>(byte) < 0x20) byte = ' ';
  return text;
}

std::string to_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void append_text(std::string& stream, StreamMessage type, std::string_view text) {
  const std::size_t size = kStreamHeaderBytes + text.size();
  DPM_CHECK(size <= kStreamMessageBytesMax);
  std::array<char, kStreamHeaderBytes> header = {};
  for (unsigned i = 0; i < 4; ++i) header[i] = static_cast<char>(size >> (8 * i) & 0xFF);
  header[8] = static_cast<char>(type);
  stream.append(header.data(), header.size());
  stream.append(text);
}

Json account_json(const MeterAccount& account) {
  Json losses = Json::array();
  std::uint64_t others = 0;
  for (const auto& loss : account.losses) {
    if (losses.size() < kTextsMax)
      losses.push_back({{"reason", within_text_limit(loss.reason)}, {"events", loss.events}});
    else
      others += loss.events;
  }
  if (others > 0) losses.push_back({{"reason", "other reasons"}, {"events", others}});
  Json warnings = Json::array();
  for (const auto& warning : account.warnings)
    if (warnings.size() < kTextsMax) warnings.push_back(within_text_limit(warning));
  if (account.warnings.size() > kTextsMax)
    warnings.push_back(fmt::format("and {} more warnings", account.warnings.size() - kTextsMax));
  return {{"seen", account.seen}, {"delivered", account.delivered}, {"losses", losses}, {"warnings", warnings}};
}

MeterAccount account_from(const Json& json) {
  MeterAccount account;
  account.seen = whole_number<std::uint64_t>(json.at("seen"));
  account.delivered = whole_number<std::uint64_t>(json.at("delivered"));
  for (const auto& loss : json.at("losses"))
    account.losses.push_back(
        {within_text_limit(loss.at("reason").get<std::string>()), whole_number<std::uint64_t>(loss.at("events"))});
  for (const auto& warning : json.at("warnings"))
    account.warnings.push_back(within_text_limit(warning.get<std::string>()));
  return account;
}

bool is_possible_size(std::uint32_t size) { return size >= kStreamHeaderBytes && size <= kStreamMessageBytesMax; }

std::uint32_t size_at(std::span<const std::byte> message) {
  std::uint32_t size = 0;
  for (std::size_t i = 4; i-- > 0;) size = size << 8 | static_cast<std::uint32_t>(message[i]);
  return size;
}

// A peer's counts are believed, but the sum of two must not overflow.
constexpr std::uint64_t kEventsMax = std::uint64_t{1} << 56;

}  // namespace

std::string meter_name(const MeterIdentity& identity) {
  std::string name = "the meter of process " + std::to_string(identity.pid);
  if (!identity.name.empty()) name += fmt::format(" ({})", identity.name);
  return fmt::format("{} on {}", name, identity.machine);
}

// ---- writing

void append_event(std::string& stream, const Event& event) {
  const MeterMessage message = encode_meter_message(event);
  stream.append(reinterpret_cast<const char*>(message.data()), message.size());
}

void append_names(std::string& stream, std::string_view names) { append_text(stream, StreamMessage::names, names); }

void append_meter(std::string& stream, std::uint32_t meter, const MeterIdentity& identity) {
  append_text(stream, StreamMessage::meter,
              to_text({{"meter", meter},
                       {"machine", within_text_limit(identity.machine)},
                       {"pid", identity.pid},
                       {"job", within_text_limit(identity.job)},
                       {"name", within_text_limit(identity.name)}}));
}

void append_meter_end(std::string& stream, std::uint32_t meter, const MeterAccount& account) {
  Json json = {{"meter", meter}};
  json.update(account_json(account));
  append_text(stream, StreamMessage::meter_end, to_text(json));
}

void append_stream_end(std::string& stream) { append_text(stream, StreamMessage::end, "{}"); }

std::string to_json(const MeterAccount& account) { return to_text(account_json(account)); }

Result<MeterAccount> meter_account_from_json(std::string_view text) {
  try {
    return account_from(Json::parse(text));
  } catch (const nlohmann::json::exception& wrong) {
    return refused_json(text, wrong);
  }
}

// ---- reading

void MeterStreamReader::feed(std::span<const std::byte> bytes) {
  if (is_stopped()) {
    unread_bytes_ += bytes.size();
    return;
  }
  // Whole messages are read in place; only the end of a batch is kept for the next.
  if (pending_.empty()) {
    const std::size_t taken = take_messages(bytes);
    pending_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(taken), bytes.end());
  } else {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    const std::size_t taken = take_messages(pending_);
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  pass_events();
}

bool MeterStreamReader::is_unfit() const {
  if (understood_) return false;
  if (consumed_bytes_ > 0 || is_stopped()) return true;
  return !pending_.empty() && (pending_.size() < sizeof(std::uint32_t) || !is_possible_size(size_at(pending_)));
}

std::string MeterStreamReader::why_lost() const { return lost_.empty() ? damage_ : lost_.begin()->first; }

// Returns how many bytes were consumed: all of them once the reader has stopped.
std::size_t MeterStreamReader::take_messages(std::span<const std::byte> bytes) {
  std::size_t taken = 0;
  while (bytes.size() - taken >= kStreamHeaderBytes) {
    const auto rest = bytes.subspan(taken);
    const std::uint32_t size = size_at(rest);
    if (!is_possible_size(size)) {
      stop_reason_ = fmt::format("the message at byte {} has the impossible size {}", consumed_bytes_, size);
      unread_bytes_ += rest.size();
      return bytes.size();
    }
    if (rest.size() < size) break;
    take_message(static_cast<std::uint8_t>(rest[8]), rest.first(size));
    taken += size;
    consumed_bytes_ += size;
  }
  return taken;
}

void MeterStreamReader::take_message(std::uint8_t type, std::span<const std::byte> message) {
  if (type < kStreamMessageFirst) return take_event(message);
  const auto body = message.subspan(kStreamHeaderBytes);
  take_text(static_cast<StreamMessage>(type), {reinterpret_cast<const char*>(body.data()), body.size()});
}

void MeterStreamReader::take_event(std::span<const std::byte> message) {
  ++arrived_;
  const auto event = decode_meter_message(message);
  if (!event) return lose(event.error().what);
  if (!ids_are_known(*event, known_)) return lose("a meter message uses an id that no NAMES have described");
  if (!values_are_possible(*event)) return lose("a meter message has an impossible time");
  batch_.push_back(*event);
  understood_ = true;
}

// What came before the damage in a text is passed on.
Result<void> MeterStreamReader::take_tables(std::string_view text) {
  TraceGrowth growth;
  auto read = read_names(text, known_, growth);
  if (names_to_ == nullptr) {
    growth.add_to(info_);
    return read;
  }
  growth.take_header().add_to(info_);
  if (growth.empty()) return read;
  begin();
  names_to_->on_growth(growth);
  return read;
}

void MeterStreamReader::take_text(StreamMessage type, std::string_view text) {
  pass_events();  // those before it, with the tables as they were
  Result<void> taken;
  try {
    if (type == StreamMessage::names) {
      taken = take_tables(text);
    } else if (type == StreamMessage::meter) {
      take_meter(text);
    } else if (type == StreamMessage::meter_end) {
      take_meter_end(text);
    } else if (type == StreamMessage::end) {
      ended_ = true;
    } else {
      taken = Error{fmt::format("it is of type {}, which this filter does not know", static_cast<unsigned>(type))};
    }
  } catch (const nlohmann::json::exception& wrong) {
    taken = refused_json(text, wrong);
  }
  understood_ |= taken.has_value();
  if (taken) return;
  if (texts_damaged_++ == 0) damage_ = taken.error().what;
}

void MeterStreamReader::take_meter(std::string_view text) {
  const Json json = Json::parse(text);
  MeterIdentity identity;
  identity.machine = within_text_limit(json.at("machine").get<std::string>());
  identity.pid = whole_number<std::uint32_t>(json.at("pid"));
  identity.job = within_text_limit(json.at("job").get<std::string>());
  identity.name = within_text_limit(json.at("name").get<std::string>());
  if (open_.size() < kMetersMax) open_[whole_number<std::uint32_t>(json.at("meter"))] = std::move(identity);
}

void MeterStreamReader::take_meter_end(std::string_view text) {
  const Json json = Json::parse(text);
  const MeterAccount account = account_from(json);
  const auto number = whole_number<std::uint32_t>(json.at("meter"));
  const auto open = open_.find(number);
  const std::string name = meter_name(open == open_.end() ? MeterIdentity{} : open->second);
  if (open != open_.end()) {
    open_.erase(open);
  } else if (ended_meters_.contains(number) || ended_meters_.pieces() == kMetersMax) {
    ++texts_damaged_;
    damage_ = fmt::format("meter {} ended twice", number);
    return;
  }
  ended_meters_.insert(number);
  delivered_ += std::min(account.delivered, kEventsMax);
  std::uint64_t explained = std::min(account.delivered, kEventsMax);
  for (const auto& loss : account.losses) {
    lose(fmt::format("{}: {}", name, loss.reason), std::min(loss.events, kEventsMax));
    explained += std::min(loss.events, kEventsMax);
  }
  const std::uint64_t seen = std::min(account.seen, kEventsMax);
  if (seen > explained) lose(name + ": for reasons it does not give", seen - explained);
  for (const auto& warning : account.warnings)
    if (warnings_.size() < kWarningsMax) warnings_.push_back(labelled_warning(name, warning));
}

void MeterStreamReader::lose(const std::string& reason, std::uint64_t events) {
  if (events == 0) return;
  auto& counted = lost_.size() < kReasonsMax || lost_.contains(reason) ? lost_[reason] : lost_["other reasons"];
  counted = std::min(counted + events, kEventsMax);
}

void MeterStreamReader::begin() {
  if (begun_) return;
  begun_ = true;
  if (info_.source.empty()) {
    info_.source = "meter messages";
    info_.properties.every_arrival_metered = true;
  }
  sink_->on_begin(info_);
}

void MeterStreamReader::pass_events() {
  if (batch_.empty()) return;
  begin();
  passed_ += batch_.size();
  sink_->on_events(batch_);
  batch_.clear();
}

void MeterStreamReader::count_open_meters(LossReport& report) const {
  for (const auto& [number, identity] : open_) {
    // How many is not known; at least one.
    const std::string reason = fmt::format(
        "the stream was cut off before the last of {}: its later events, at least one", meter_name(identity));
    report.losses.push_back({reason, 1});
  }
}

bool MeterStreamReader::is_at_rest() const { return begun_ && !is_stopped() && pending_.empty() && open_.empty(); }

LossReport MeterStreamReader::report() const {
  LossReport report;
  for (const auto& [reason, events] : lost_) report.losses.push_back({reason, events});
  if (delivered_ > arrived_) report.losses.push_back({"delivered by a meter, but not here", delivered_ - arrived_});
  if (is_stopped()) {
    report.losses.push_back({fmt::format("{}: it and all that followed, {} bytes", stop_reason_, unread_bytes_), 1});
    report.warnings.push_back("the filter stopped reading because " + stop_reason_);
  } else if (!pending_.empty()) {
    report.losses.push_back({fmt::format("the input ended inside a message, after {} bytes", pending_.size()), 1});
  }
  count_open_meters(report);
  if (texts_damaged_ > 0)
    report.warnings.push_back(
        fmt::format("{} messages that are not events could not be decoded; the first: {}", texts_damaged_, damage_));
  report.warnings.insert(report.warnings.end(), warnings_.begin(), warnings_.end());
  report.seen = passed_ + report.lost();
  return report;
}

void MeterStreamReader::end() {
  begin();
  LossReport last = report();
  if (!ended_ && !is_stopped()) last.warnings.push_back("the stream of meter messages was cut off: its end is missing");
  sink_->on_end(last);
}

}  // namespace dpm
