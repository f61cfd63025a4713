#include "formats/zipkin/zipkin_source.hpp"

#include "formats/json/json_value.hpp"
#include "formats/spans/span_documents.hpp"
#include "formats/spans/span_source.hpp"

namespace dpm {
namespace {

constexpr int kDepthMax = 5;

class ZipkinReader {
 public:
  explicit ZipkinReader(SpanSet& spans) : spans_(spans) {}

  void read(Json json, int depth = 0) {
    if (json.is_array()) {
      if (depth < kDepthMax) for_each_in(json, [&](Json each) { read(each, depth + 1); });
      return;
    }
    const auto found = members<11>(json, {"traceId", "id", "parentId", "kind", "timestamp", "duration", "localEndpoint",
                                          "remoteEndpoint", "tags", "_source", "hits"});
    if (const auto& inside = found[9] ? found[9] : found[10])  // a search of Elasticsearch
      return depth < kDepthMax ? read(*inside, depth + 1) : void();
    const std::string_view trace = text_of(found[0]), id = text_of(found[1]), parent = text_of(found[2]);
    if (!is_span_id(trace) || !is_span_id(id)) return spans_.leave_out("spans without ids");
    Span span;
    span.id = spans_.ids.add(trace, id);
    if (is_span_id(parent)) span.parent = spans_.ids.add(trace, parent);
    span.kind = span_kind_named(text_of(found[3]));
    span.resource = resource_of(found[6], found[8]);
    if (span.kind == SpanKind::client || span.kind == SpanKind::producer) span.peer = peer_of(found[7]);
    const auto begin_ns = ns_of_us(found[4]), duration_ns = ns_of_us(found[5]);
    spans_.add(span, begin_ns.value_or(0), begin_ns && duration_ns ? *begin_ns + *duration_ns : 0);
  }

 private:
  std::uint32_t resource_of(std::optional<Json> endpoint, std::optional<Json> tags) {
    SpanResourceBuilder resource;
    if (endpoint) {
      const auto& [service, ipv4, ipv6] = members<3>(*endpoint, {"serviceName", "ipv4", "ipv6"});
      resource.take("service.name", text_of(service));
      resource.take("ip", text_of(ipv4 ? ipv4 : ipv6));
    }
    if (tags) {
      const auto known =
          members<5>(*tags, {"service.instance.id", "host.name", "k8s.pod.name", "container.id", "process.pid"});
      constexpr std::string_view kNames[] = {"service.instance.id", "host.name", "k8s.pod.name", "container.id",
                                             "process.pid"};
      for (std::size_t n = 0; n < known.size(); ++n) resource.take(kNames[n], any_text_of(known[n]));
    }
    return spans_.resource(resource.finish());
  }

  std::uint32_t peer_of(std::optional<Json> endpoint) {
    if (!endpoint) return Span::kNone;
    const auto& [service, ipv4, ipv6] = members<3>(*endpoint, {"serviceName", "ipv4", "ipv6"});
    for (const auto& name : {service, ipv4, ipv6})
      if (!text_of(name).empty()) return spans_.peer(text_of(name));
    return Span::kNone;
  }

  SpanSet& spans_;
};

bool is_version_1(const RecordingHead& recording) {
  for (const std::string_view name : {"[].binaryAnnotations", "[].annotations[].endpoint", "[][].binaryAnnotations"})
    if (recording.has(name)) return true;
  return false;
}

bool has_spans(const RecordingHead& recording) {
  return (recording.has("[].traceId") && recording.has("[].id")) ||
         (recording.has("[][].traceId") && recording.has("[][].id")) || recording.has("_source.localEndpoint") ||
         recording.has("[]._source.localEndpoint") || recording.has("hits.hits[]._source.localEndpoint") ||
         (recording.has("traceId") && recording.has("id") &&
          (recording.has("localEndpoint") || recording.has("timestamp")));
}

std::optional<std::string> recognize(const RecordingHead& recording) {
  if (recording.is_folder || !has_spans(recording)) return std::nullopt;
  return is_version_1(recording) ? "spans of Zipkin (version 1)" : "spans of Zipkin";
}

Result<std::unique_ptr<ImportSource>> open(const std::string& path, const ImportOptions& /*options*/) {
  const auto recording = look_at(path);
  if (!recording) return recording.error();
  if (!has_spans(*recording))
    return Error{path + ": no spans of Zipkin: it has no list of spans with 'traceId' and 'id'"};
  if (is_version_1(*recording))
    return Error{path + ": spans of Zipkin's version 1: Zipkin's API /api/v2/traces gives them in version 2"};
  SpanSet spans;
  ZipkinReader reader(spans);
  if (auto done = read_span_documents(path, spans, [&](Json json) { reader.read(json); }); !done) return done.error();
  return make_span_source("zipkin", path, std::move(spans));
}

}  // namespace

ImportFormat make_zipkin_import_format() {
  return {"zipkin", "spans of Zipkin as JSON (version 2)", {"procTime", "readyTime", "diskTime"}, recognize, open};
}

}  // namespace dpm
