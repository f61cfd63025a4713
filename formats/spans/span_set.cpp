#include "formats/spans/span_set.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace dpm {
namespace {

constexpr std::uint64_t kTimeEndNs = std::uint64_t{1} << 62;  // as of all events
constexpr std::array<std::string_view, 6> kKinds = {"UNSPECIFIED", "INTERNAL", "SERVER",
                                                    "CLIENT",      "PRODUCER", "CONSUMER"};

bool ends_with_any_case(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), text.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char a, char b) { return a == std::toupper(static_cast<unsigned char>(b)); });
}

}  // namespace

SpanKind span_kind_named(std::string_view name) {
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind)
    if (ends_with_any_case(name, kKinds[kind])) return static_cast<SpanKind>(kind);
  return SpanKind::unspecified;
}

void SpanResourceBuilder::take(std::string_view key, std::string_view value) {
  const std::pair<std::string_view, std::string*> known[] = {{"service.name", &resource_.service},
                                                             {"service.instance.id", &instance_},
                                                             {"k8s.pod.name", &pod_},
                                                             {"k8s.pod.uid", &pod_},
                                                             {"container.id", &container_},
                                                             {"process.pid", &pid_},
                                                             {"pid", &pid_},
                                                             {"host.name", &host_},
                                                             {"hostname", &host_},
                                                             {"k8s.node.name", &node_},
                                                             {"client-uuid", &instance_},
                                                             {"ip", &container_}};
  for (const auto& [name, place] : known)
    if (name == key && place->empty()) *place = value;
}

SpanResource SpanResourceBuilder::finish() {
  resource_.host = host_.empty() ? node_ : host_;
  for (const std::string* part : {&instance_, &pod_, &container_, &pid_, &host_}) resource_.instance += *part + '\n';
  return std::move(resource_);
}

std::uint32_t SpanSet::resource(const SpanResource& resource) {
  const auto [known, is_new] = known_resources_.try_emplace(resource, static_cast<std::uint32_t>(resources.size()));
  if (is_new) resources.push_back(resource);
  return known->second;
}

std::uint32_t SpanSet::peer(std::string_view name) {
  if (name.empty()) return Span::kNone;
  if (const auto known = known_peers_.find(name); known != known_peers_.end()) return known->second;
  known_peers_.emplace(std::string(name), static_cast<std::uint32_t>(peers.size()));
  peers.emplace_back(name);
  return static_cast<std::uint32_t>(peers.size() - 1);
}

void SpanSet::add(Span span, std::uint64_t begin_ns, std::uint64_t end_ns) {
  was_added_ = begin_ns > 0 && begin_ns < kTimeEndNs && end_ns < kTimeEndNs && (end_ns == 0 || end_ns >= begin_ns);
  if (!was_added_) return leave_out("spans that end before they begin, or have no times");
  span.has_ended = end_ns != 0;
  span.begin_ns = static_cast<std::int64_t>(begin_ns);
  span.end_ns = static_cast<std::int64_t>(span.has_ended ? end_ns : begin_ns);
  spans.push_back(span);
}

void SpanSet::link(SpanId to) {
  if (was_added_ && !spans.empty()) links.push_back({static_cast<std::uint32_t>(spans.size() - 1), to});
}

void SpanSet::leave_out(std::string_view what, std::uint64_t count) {
  const auto known =
      std::find_if(left_out.begin(), left_out.end(), [&](const ImportRow& row) { return row.what == what; });
  if (known != left_out.end())
    known->count += count;
  else
    left_out.push_back({std::string(what), count});
}

}  // namespace dpm
