#include "formats/export/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "model/utf8.hpp"

namespace dpm {
namespace {

bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7f; }

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_bytes(text.substr(at));
    if (length == 0) {
      clean += "\xef\xbf\xbd";
      ++at;
      continue;
    }
    // U+0080 to U+009F are control characters of two bytes.
    const bool is_c1 = length == 2 && text[at] == '\xc2' && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if (is_c1 || (length == 1 && is_control(static_cast<unsigned char>(text[at]))))
      clean += ' ';
    else
      clean += text.substr(at, length);
    at += length;
  }
  return clean;
}

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : clean_text(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<std::string> process_labels(const TraceInfo& info) {
  std::vector<std::string> labels;
  std::unordered_map<std::string, int> count;
  for (const ProcessInfo& process : info.processes) {
    labels.push_back(clean_text(process.name));
    ++count[labels.back()];
  }
  std::unordered_set<std::string> taken;
  for (const auto& [label, times] : count) taken.insert(label);
  for (std::size_t p = 0; p < labels.size(); ++p) {
    if (!labels[p].empty() && count[labels[p]] == 1) continue;
    std::string label = fmt::format("{}#{}", labels[p], p);
    while (!taken.insert(label).second) label += '#';
    labels[p] = std::move(label);
  }
  return labels;
}

std::string channel_label(const TraceInfo& info, ChannelId channel) {
  if (channel.value >= info.channels.size()) return "";
  const ChannelInfo& described = info[channel];
  if (!described.name.empty() || described.owner.is_none()) return clean_text(described.name);
  return clean_text("to " + info[described.owner].name);
}

}  // namespace dpm
