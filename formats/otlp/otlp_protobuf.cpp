// Protobuf's wire format (protobuf.dev/programming-guides/encoding), and of opentelemetry-proto's trace.proto what messages need.
#include <algorithm>
#include <cstring>

#include "formats/otlp/otlp_spans.hpp"

namespace dpm {
namespace {

enum class Wire : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// One field after the other. A message that is cut ends with is_sound() false.
class Fields {
 public:
  explicit Fields(std::string_view message) : rest_(message) {}

  // False at the end, or where the bytes are not a field.
  bool next() {
    if (rest_.empty() || !sound_) return false;
    std::uint64_t key = 0;
    sound_ = varint(key);
    if (!sound_) return false;
    number_ = static_cast<std::uint32_t>(key >> 3);
    wire_ = static_cast<Wire>(key & 7);
    value_ = 0;
    bytes_ = {};
    switch (wire_) {
      case Wire::varint:
        sound_ = varint(value_);
        break;
      case Wire::fixed64:
        sound_ = fixed(8);
        break;
      case Wire::fixed32:
        sound_ = fixed(4);
        break;
      case Wire::bytes: {
        std::uint64_t size = 0;
        sound_ = varint(size);
        is_cut_ = sound_ && size > rest_.size();
        bytes_ = rest_.substr(0, std::min<std::uint64_t>(size, rest_.size()));
        rest_.remove_prefix(bytes_.size());
        if (is_cut_) sound_ = false;
        break;
      }
      default:
        sound_ = false;
    }
    sound_ = sound_ && number_ != 0;
    return sound_ || is_cut_;  // the part of a cut message that is there may hold whole ones
  }

  bool is_sound() const { return sound_; }
  bool is(std::uint32_t number, Wire wire) const { return number_ == number && wire_ == wire; }
  std::uint32_t number() const { return number_; }
  Wire wire() const { return wire_; }
  std::uint64_t value() const { return value_; }
  std::string_view bytes() const { return bytes_; }

 private:
  bool varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return true;
    }
    return false;
  }

  // Little-endian.
  bool fixed(std::size_t size) {
    if (rest_.size() < size) return false;
    for (std::size_t i = 0; i < size; ++i)
      value_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
  std::uint32_t number_ = 0;
  Wire wire_ = Wire::varint;
  std::uint64_t value_ = 0;
  std::string_view bytes_;
  bool sound_ = true, is_cut_ = false;
};

struct Attribute {
  std::string_view key, text;
  std::uint64_t number = 0;
  bool is_number = false;
};

// KeyValue {1: key, 2: AnyValue {1: string, 2: bool, 3: int}}
Attribute read_attribute(std::string_view message) {
  Attribute attribute;
  for (Fields field(message); field.next();) {
    if (field.is(1, Wire::bytes)) attribute.key = field.bytes();
    if (!field.is(2, Wire::bytes)) continue;
    for (Fields value(field.bytes()); value.next();) {
      if (value.is(1, Wire::bytes)) attribute.text = value.bytes();
      if (value.is(3, Wire::varint)) attribute.number = value.value(), attribute.is_number = true;
    }
  }
  return attribute;
}

// Span {1: trace_id, 2: span_id, 4: parent_span_id, 6: kind, 7: start, 8: end, 9: attributes, 13: links {1: trace_id, 2: span_id}}
bool read_span(std::string_view message, std::uint32_t resource, SpanSet& spans) {
  std::string_view trace, id, parent, peer;
  std::uint64_t begin_ns = 0, end_ns = 0;
  Span span;
  span.resource = resource;
  std::size_t best = SIZE_MAX;
  bool has_links = false;
  Fields field(message);
  while (field.next()) {
    switch (field.number()) {
      case 1:
        trace = field.bytes();
        break;
      case 2:
        id = field.bytes();
        break;
      case 4:
        parent = field.bytes();
        break;
      case 6:
        span.kind = field.value() <= 5 ? static_cast<SpanKind>(field.value()) : SpanKind::unspecified;
        break;
      case 7:
        begin_ns = field.value();
        break;
      case 8:
        end_ns = field.value();
        break;
      case 9: {
        const Attribute attribute = read_attribute(field.bytes());
        if (const auto rank = peer_rank(attribute.key); rank && *rank < best && !attribute.text.empty())
          best = *rank, peer = attribute.text;
        const bool is_request = is_request_size(attribute.key);
        if (!attribute.is_number || !(is_request || is_response_size(attribute.key))) break;
        std::uint32_t& size = is_request ? span.request_bytes : span.response_bytes;
        if (size == 0) size = static_cast<std::uint32_t>(std::min<std::uint64_t>(attribute.number, UINT32_MAX));
        break;
      }
      case 13:
        has_links = true;
        break;
      default:
        break;
    }
  }
  if (!field.is_sound()) return false;
  if (!is_span_id(trace) || !is_span_id(id)) return spans.leave_out("spans without ids"), true;
  span.id = spans.ids.add_bytes(trace, id);
  if (is_span_id(parent)) span.parent = spans.ids.add_bytes(trace, parent);
  if (span.kind == SpanKind::client || span.kind == SpanKind::producer) span.peer = spans.peer(peer);
  spans.add(span, begin_ns, end_ns);
  if (!has_links) return true;
  for (Fields each(message); each.next();) {
    if (!each.is(13, Wire::bytes)) continue;
    std::string_view linked_trace, linked;
    for (Fields part(each.bytes()); part.next();) {
      if (part.is(1, Wire::bytes)) linked_trace = part.bytes();
      if (part.is(2, Wire::bytes)) linked = part.bytes();
    }
    if (is_span_id(linked_trace) && is_span_id(linked)) spans.link(spans.ids.add_bytes(linked_trace, linked));
  }
  return true;
}

// ResourceSpans {1: Resource {1: attributes}, 2: ScopeSpans {2: spans}, 1000: ScopeSpans before OTLP 0.15}
bool read_resource_spans(std::string_view message, SpanSet& spans) {
  SpanResourceBuilder resource;
  for (Fields field(message); field.next();) {
    if (!field.is(1, Wire::bytes)) continue;
    for (Fields part(field.bytes()); part.next();) {
      if (!part.is(1, Wire::bytes)) continue;
      const Attribute attribute = read_attribute(part.bytes());
      resource.take(attribute.key, attribute.is_number ? std::to_string(static_cast<std::int64_t>(attribute.number))
                                                       : std::string(attribute.text));
    }
  }
  const std::uint32_t number = spans.resource(resource.finish());
  Fields field(message);
  bool is_sound = true;
  while (field.next()) {
    if (!field.is(2, Wire::bytes) && !field.is(1000, Wire::bytes)) continue;
    Fields scope(field.bytes());
    while (scope.next())
      if (scope.is(2, Wire::bytes)) is_sound = read_span(scope.bytes(), number, spans) && is_sound;
    is_sound = is_sound && scope.is_sound();
  }
  return is_sound && field.is_sound();
}

}  // namespace

bool read_otlp_protobuf(std::string_view message, SpanSet& spans) {
  Fields field(message);
  bool is_sound = true;
  while (field.next())
    if (field.is(1, Wire::bytes)) is_sound = read_resource_spans(field.bytes(), spans) && is_sound;
  return is_sound && field.is_sound();
}

bool begins_otlp_protobuf(std::string_view bytes) {
  Fields field(bytes);
  if (!field.next() || !field.is(1, Wire::bytes)) return false;
  bool has_resource = false, has_spans = false;
  Fields part(field.bytes());
  while (part.next()) {
    if (part.is(1, Wire::bytes)) {
      Fields attribute(part.bytes());
      has_resource |= attribute.next() && (attribute.is(1, Wire::bytes) || attribute.is(2, Wire::varint));
    } else if (part.is(2, Wire::bytes) || part.is(1000, Wire::bytes)) {
      for (Fields scope(part.bytes()); scope.next();) {
        if (!scope.is(2, Wire::bytes)) continue;
        Fields span(scope.bytes());
        has_spans |= span.next() && span.is(1, Wire::bytes) && span.bytes().size() == 16;
      }
    } else if (!part.is(3, Wire::bytes)) {
      return false;
    }
  }
  return has_spans || (has_resource && !part.is_sound());
}

}  // namespace dpm
