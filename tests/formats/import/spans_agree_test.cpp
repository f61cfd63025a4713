// The same run of spans, written in every format of spans and in every form of each: all give the same trace.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "formats/spans/span_set.hpp"
#include "tests/formats/import/imported_text.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

struct WrittenSpan {
  std::uint64_t id = 0, parent = 0;
  std::uint32_t service = 0;
  SpanKind kind = SpanKind::internal;
  std::int64_t begin_us = 0, end_us = 0;
};

constexpr std::int64_t kStart_us = 1'700'000'000'000'000;
const std::string kTrace = "5b8efff798038103d269b633813fc60c";
const char* const kKinds[] = {"", "internal", "server", "client", "producer", "consumer"};

// A tree of calls between four services, some of which ask what is not in the file.
std::vector<WrittenSpan> random_run(std::mt19937& random) {
  std::vector<WrittenSpan> spans;
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  std::int64_t now_us = 0;
  const auto add = [&](WrittenSpan span) {
    span.id = 0xabc0 + spans.size();
    now_us += 10;
    span.begin_us = kStart_us + now_us;
    span.end_us = kStart_us + 10'000 - now_us;
    spans.push_back(span);
    return spans.size() - 1;
  };
  add({0, 0, 0, SpanKind::server});
  for (int n = 0; n < 30; ++n) {
    const std::size_t parent = draw(spans.size());
    if (spans[parent].kind == SpanKind::client || spans[parent].kind == SpanKind::producer) continue;
    const std::uint32_t from = spans[parent].service;
    if (draw(3) == 0) {
      add({0, spans[parent].id, from, SpanKind::internal});
      continue;
    }
    const bool asks = draw(4) > 0;
    const std::size_t asking = add({0, spans[parent].id, from, asks ? SpanKind::client : SpanKind::producer});
    if (draw(5) > 0)
      add({0, spans[asking].id, static_cast<std::uint32_t>(draw(4)), asks ? SpanKind::server : SpanKind::consumer});
  }
  return spans;
}

std::string otlp(const std::vector<WrittenSpan>& spans, bool snake, bool upper, const std::string& list) {
  const auto name = [&](const char* camel, const char* other) { return snake ? other : camel; };
  std::string text = fmt::format("{{\"{}\":[", list);
  for (std::uint32_t service = 0; service < 4; ++service) {
    text += fmt::format(
        "{}{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"{}\":\"s{}\"}}}}]}},\"{}\":[{{"
        "\"spans\":[",
        service == 0 ? "" : ",", name("stringValue", "string_value"), service, name("scopeSpans", "scope_spans"));
    const char* comma = "";
    for (const WrittenSpan& span : spans) {
      if (span.service != service) continue;
      text += fmt::format("{}{{\"{}\":\"{}\",\"{}\":\"{:016x}\",\"kind\":{},\"{}\":\"{}000\",\"{}\":{}000", comma,
                          name("traceId", "trace_id"), kTrace, name("spanId", "span_id"), span.id,
                          static_cast<int>(span.kind), name("startTimeUnixNano", "start_time_unix_nano"), span.begin_us,
                          name("endTimeUnixNano", "end_time_unix_nano"), span.end_us);
      const std::string parent = fmt::format("{:016x}", span.parent);
      std::string shown = parent;
      if (upper)
        std::transform(shown.begin(), shown.end(), shown.begin(),
                       [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
      if (span.parent != 0) text += fmt::format(",\"{}\":\"{}\"", name("parentSpanId", "parent_span_id"), shown);
      text += "}";
      comma = ",";
    }
    text += "]}]}";
  }
  return text + "]}";
}

std::string jaeger(const std::vector<WrittenSpan>& spans) {
  std::string text = fmt::format("{{\"data\":[{{\"traceID\":\"{}\",\"spans\":[", kTrace);
  for (const WrittenSpan& span : spans)
    text += fmt::format(
        "{}{{\"traceID\":\"{}\",\"spanID\":\"{:x}\",\"references\":[{}],\"startTime\":{},\"duration\":{},\"tags\":[{{"
        "\"key\":\"span.kind\","
        "\"value\":\"{}\"}}],\"processID\":\"p{}\"}}",
        &span == &spans.front() ? "" : ",", kTrace, span.id,
        span.parent == 0
            ? ""
            : fmt::format("{{\"refType\":\"CHILD_OF\",\"traceID\":\"{}\",\"spanID\":\"{:x}\"}}", kTrace, span.parent),
        span.begin_us, span.end_us - span.begin_us, kKinds[static_cast<int>(span.kind)], span.service);
  text += "],\"processes\":{";
  for (int service = 0; service < 4; ++service)
    text += fmt::format("{}\"p{}\":{{\"serviceName\":\"s{}\",\"tags\":[]}}", service == 0 ? "" : ",", service, service);
  return text + "}}]}";
}

std::string zipkin(const std::vector<WrittenSpan>& spans, bool lines) {
  std::string text = lines ? "" : "[";
  for (const WrittenSpan& span : spans) {
    std::string kind = kKinds[static_cast<int>(span.kind)];
    std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) { return static_cast<char>(c - 32); });
    text += fmt::format(
        "{}{{\"traceId\":\"{}\",\"id\":\"{:016x}\",{}{}\"timestamp\":{},\"duration\":{},\"localEndpoint\":{{"
        "\"serviceName\":\"s{}\"}}}}",
        &span == &spans.front() ? ""
        : lines                 ? "\n"
                                : ",",
        kTrace, span.id, span.parent == 0 ? "" : fmt::format("\"parentId\":\"{:016x}\",", span.parent),
        kind == "INTERNAL" ? "" : fmt::format("\"kind\":\"{}\",", kind), span.begin_us, span.end_us - span.begin_us,
        span.service);
  }
  return text + (lines ? "" : "]");
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string field(std::uint32_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string big_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t n = size; n-- > 0;) bytes += static_cast<char>(value >> (8 * n));
  return bytes;
}
std::string little_endian(std::uint64_t value) {
  std::string bytes = big_endian(value, 8);
  return {bytes.rbegin(), bytes.rend()};
}

std::string protobuf(const std::vector<WrittenSpan>& spans, bool sized) {
  std::string text;
  for (std::uint32_t service = 0; service < 4; ++service) {
    std::string list;
    for (const WrittenSpan& span : spans) {
      if (span.service != service) continue;
      std::string message = field(1, big_endian(0x5b8efff798038103, 8) + big_endian(0xd269b633813fc60c, 8)) +
                            field(2, big_endian(span.id, 8));
      if (span.parent != 0) message += field(4, big_endian(span.parent, 8));
      message += varint(6 << 3) + varint(static_cast<std::uint64_t>(span.kind)) + varint(7 << 3 | 1) +
                 little_endian(static_cast<std::uint64_t>(span.begin_us) * 1000) + varint(8 << 3 | 1) +
                 little_endian(static_cast<std::uint64_t>(span.end_us) * 1000);
      list += field(2, message);
    }
    const std::string name = field(1, "service.name") + field(2, field(1, fmt::format("s{}", service)));
    const std::string resource = field(1, field(1, field(1, name)) + field(2, list));
    text += sized ? big_endian(resource.size(), 4) + resource : resource;
  }
  return text;
}

TEST_CASE("spans: one run in every format and form is one trace", "[import]") {
  char folder[] = "/tmp/dpm-spans-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  std::mt19937 random{11};
  for (int round = 0; round < 20; ++round) {
    const std::vector<WrittenSpan> spans = random_run(random);
    const std::string plain = otlp(spans, false, false, "resourceSpans");
    const std::pair<const char*, std::string> forms[] = {
        {"otlp", plain},
        {"otlp", otlp(spans, true, false, "resource_spans")},
        {"otlp", otlp(spans, false, true, "batches")},
        {"otlp", "{\"trace\":" + plain + "}"},
        {"otlp", "{\"resourceMetrics\":[]}\n" + plain + "\n" + plain},
        {"otlp", protobuf(spans, false)},
        {"otlp", protobuf(spans, true)},
        {"jaeger", jaeger(spans)},
        {"zipkin", zipkin(spans, false)},
        {"zipkin", zipkin(spans, true)},
    };
    std::string expected;
    for (std::size_t n = 0; n < std::size(forms); ++n) {
      const ImportedRecording imported = import_recording_at(file_of(folder, "spans", forms[n].second));
      CAPTURE(round, n, forms[n].second);
      CHECK(imported.refused == "");
      CHECK(imported.format == forms[n].first);
      // The order of the resources in a file decides which channel comes first, and nothing else.
      std::vector<std::string> processes = imported.events.processes;
      std::sort(processes.begin(), processes.end());
      const std::string found = imported.events.text() + fmt::format("{}", fmt::join(processes, " "));
      if (n == 0) expected = found;
      CHECK(found == expected);
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dpm
