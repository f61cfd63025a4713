#include "filter/filter_files.hpp"

#include "trace/event_fields.hpp"
#include "trace/files.hpp"

namespace dpm {
namespace {

constexpr std::size_t kFileBytesMax = 16 * 1024 * 1024;

}  // namespace

Result<Descriptions> load_descriptions(const std::string& path) {
  auto text = read_text_file(path, kFileBytesMax);
  if (!text) return text.error();
  return parse_descriptions(path, *text);
}

Result<RuleSet> load_rules(const std::string& path, std::span<const RecordLayout> layouts) {
  if (path.empty()) return RuleSet::compile(path, "", layouts);
  auto text = read_text_file(path, kFileBytesMax);
  if (!text) return text.error();
  return RuleSet::compile(path, *text, layouts);
}

Result<std::vector<std::string>> check_filter_files(const std::string& descriptions, const std::string& templates) {
  Descriptions described;
  if (!descriptions.empty()) {
    auto loaded = load_descriptions(descriptions);
    if (!loaded) return loaded.error();
    described = *std::move(loaded);
  }
  const auto rules = load_rules(templates, descriptions.empty() ? event_layouts() : std::span(described.records));
  if (!rules) return rules.error();
  return rules->notes();
}

}  // namespace dpm
