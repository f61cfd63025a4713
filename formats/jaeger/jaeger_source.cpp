#include "formats/jaeger/jaeger_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "formats/json/json_value.hpp"
#include "formats/spans/span_documents.hpp"
#include "formats/spans/span_source.hpp"

namespace dpm {
namespace {

constexpr int kDepthMax = 5;
// What a client says of the other end, the best first.
constexpr std::array<std::string_view, 8> kPeers = {
    "peer.service",   "db.system",     "db.type",     "messaging.destination.name", "message_bus.destination",
    "server.address", "peer.hostname", "peer.address"};

// A list of {"key": k, "value": v}, or an object, as Elasticsearch may hold it.
template <typename Take>
void for_each_tag(std::optional<Json> tags, const Take& take) {
  simdjson::dom::object object;
  if (tags && tags->get(object) == simdjson::SUCCESS) {
    for (const auto& [key, value] : object) take(key, std::optional<Json>(value));
    return;
  }
  for_each_in(tags, [&](Json tag) {
    const auto& [key, value] = members<2>(tag, {"key", "value"});
    take(text_of(key), value);
  });
}

class JaegerReader {
 public:
  explicit JaegerReader(SpanSet& spans) : spans_(spans) {}

  // A document: a trace, a list of them, an answer of the API, or a span of a storage.
  void read(Json json, int depth = 0) {
    if (json.is_array()) {
      if (depth < kDepthMax) for_each_in(json, [&](Json each) { read(each, depth + 1); });
      return;
    }
    const auto found = members<7>(json, {"data", "spans", "processes", "traceID", "_source", "trace", "hits"});
    if (found[1] && found[1]->is_array()) return read_trace(*found[1], found[2]);
    for (const std::size_t inside : {0, 4, 5, 6})
      if (found[inside]) return depth < kDepthMax ? read(*found[inside], depth + 1) : void();
    if (found[3]) return read_span(json, {});
    spans_.leave_out("documents without spans");
  }

 private:
  using Processes = std::map<std::string, std::uint32_t, std::less<>>;  // resources, by process id

  std::uint32_t resource_of(Json process) {
    const auto& [service, tags] = members<2>(process, {"serviceName", "tags"});
    SpanResourceBuilder resource;
    resource.take("service.name", text_of(service));
    for_each_tag(tags,
                 [&](std::string_view key, std::optional<Json> value) { resource.take(key, any_text_of(value)); });
    return spans_.resource(resource.finish());
  }

  void read_trace(Json list, std::optional<Json> described) {
    Processes processes;
    simdjson::dom::object object;
    if (described && described->get(object) == simdjson::SUCCESS)
      for (const auto& [name, process] : object) processes.emplace(std::string(name), resource_of(process));
    for_each_in(list, [&](Json span) { read_span(span, processes); });
  }

  void read_span(Json json, const Processes& processes) {
    const auto found = members<11>(json, {"traceID", "spanID", "parentSpanID", "references", "startTime", "duration",
                                          "tags", "tag", "processID", "process", "startTimeMillis"});
    const std::string_view trace = text_of(found[0]), id = text_of(found[1]), parent = text_of(found[2]);
    if (!is_span_id(trace) || !is_span_id(id)) return spans_.leave_out("spans without ids");
    Span span;
    span.id = spans_.ids.add(trace, id);
    if (is_span_id(parent)) span.parent = spans_.ids.add(trace, parent);
    if (found[9]) {
      span.resource = resource_of(*found[9]);
    } else if (const auto known = processes.find(text_of(found[8])); known != processes.end()) {
      span.resource = known->second;
    } else {
      span.resource = spans_.resource({});
      spans_.leave_out("names of processes that the trace does not describe");
    }
    read_tags(found[6] ? found[6] : found[7], span);
    std::vector<SpanId> links;
    for_each_in(found[3], [&](Json reference) {
      const auto& [kind, other_trace, other] = members<3>(reference, {"refType", "traceID", "spanID"});
      if (!is_span_id(text_of(other))) return;
      const SpanId to = spans_.ids.add(is_span_id(text_of(other_trace)) ? text_of(other_trace) : trace, text_of(other));
      if (text_of(kind) == "FOLLOWS_FROM" || !span.parent.is_none())
        links.push_back(to);
      else
        span.parent = to;
    });
    auto begin_ns = ns_of_us(found[4]);
    if (!begin_ns && found[10])
      if (const auto ms = number_of(found[10]); ms && *ms < std::uint64_t{1} << 42) begin_ns = *ms * 1'000'000;
    const auto duration_ns = ns_of_us(found[5]);
    spans_.add(span, begin_ns.value_or(0), begin_ns && duration_ns ? *begin_ns + *duration_ns : 0);
    for (const SpanId& link : links)
      if (link != span.parent) spans_.link(link);
  }

  void read_tags(std::optional<Json> tags, Span& span) {
    std::size_t best = kPeers.size();
    std::string peer;
    for_each_tag(tags, [&](std::string_view key, std::optional<Json> value) {
      if (key == "span.kind") span.kind = span_kind_named(text_of(value));
      const auto rank = static_cast<std::size_t>(std::find(kPeers.begin(), kPeers.end(), key) - kPeers.begin());
      if (rank < best) best = rank, peer = any_text_of(value);
    });
    if (span.kind == SpanKind::client || span.kind == SpanKind::producer) span.peer = spans_.peer(peer);
  }

  SpanSet& spans_;
};

bool has_traces(const RecordingHead& recording) {
  for (const std::string_view name : {"data[].traceID", "data[].spans", "[].traceID", "traceID", "_source.traceID",
                                      "[]._source.traceID", "hits.hits[]._source.traceID", "data.spans"})
    if (recording.has(name)) return true;
  return recording.has("spans") && recording.has("processes");
}

// "a Jaeger trace, 3 services", as far as the beginning of the file shows.
std::optional<std::string> recognize(const RecordingHead& recording) {
  if (recording.is_folder || !has_traces(recording)) return std::nullopt;
  std::set<std::string_view> services;
  constexpr std::string_view kName = "\"serviceName\"";
  for (std::size_t at = recording.head.find(kName); at != std::string::npos; at = recording.head.find(kName, at + 1)) {
    const auto open = recording.head.find('"', at + kName.size());
    const auto close = open == std::string::npos ? open : recording.head.find('"', open + 1);
    if (close != std::string::npos)
      services.insert(std::string_view(recording.head).substr(open + 1, close - open - 1));
  }
  if (!recording.is_whole) return "a Jaeger trace";
  return fmt::format("a Jaeger trace, {} service{}", services.size(), services.size() == 1 ? "" : "s");
}

Result<std::unique_ptr<ImportSource>> open(const std::string& path, const ImportOptions& /*options*/) {
  const auto recording = look_at(path);
  if (!recording) return recording.error();
  if (!has_traces(*recording)) return Error{path + ": no traces of Jaeger: it has no spans with a 'traceID'"};
  SpanSet spans;
  JaegerReader reader(spans);
  if (auto done = read_span_documents(path, spans, [&](Json json) { reader.read(json); }); !done) return done.error();
  return make_span_source("jaeger", path, std::move(spans));
}

}  // namespace

ImportFormat make_jaeger_import_format() {
  return {"jaeger",
          "traces of Jaeger as JSON, as its page and its HTTP API export them",
          {"procTime", "readyTime", "diskTime"},
          recognize,
          open};
}

}  // namespace dpm
