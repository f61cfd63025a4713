#include "filter/descriptions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "model/nearest_name.hpp"
#include "trace/event_fields.hpp"
#include "trace/record_class.hpp"

namespace dpm {
namespace {

constexpr std::uint32_t kRecordBytesMax = 32 * 1024;

// struct MeterHeader of the metering report's appendix A, as the VAX lays it out.
struct StandardField {
  std::string_view name;
  std::uint32_t offset_bytes, length_bytes;
};
constexpr std::array kStandardHeader = {
    StandardField{"size", 0, 4},      StandardField{"machine", 4, 2},    StandardField{"cpuTime", 8, 4},
    StandardField{"procTime", 16, 4}, StandardField{"traceType", 20, 4},
};
constexpr std::uint32_t kStandardHeaderBytes = 24;

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void trim(std::string_view& text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
}

std::string_view take_word(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_word(text[length])) ++length;
  const auto word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

std::optional<std::uint32_t> number_in(std::string_view text) {
  trim(text);
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

struct Section {
  std::string name;
  std::uint64_t type = 0;
  int line = 0;
  std::vector<RecordField> fields;
  bool is_header = false;
  bool has_standard_places = false;  // the fields of a header listed by name alone

  std::uint32_t end() const {
    std::uint32_t bytes = has_standard_places ? kStandardHeaderBytes : 0;
    for (const auto& field : fields) bytes = std::max(bytes, field.offset_bytes + field.length_bytes);
    return bytes;
  }
};

class DescriptionParser {
 public:
  explicit DescriptionParser(const std::string& file) : file_(file) {}

  Result<Descriptions> parse(std::string_view text) {
    while (!text.empty()) {
      auto line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      ++line_;
      line = line.substr(0, line.find("//"));
      while (!line.empty()) {
        auto entry = line.substr(0, line.find(';'));
        line.remove_prefix(std::min(entry.size() + 1, line.size()));
        trim(entry);
        if (entry.empty()) continue;
        if (auto read = read_entry(entry); !read) return read.error();
      }
    }
    return assemble();
  }

 private:
  // "name,offset,length,base", or "NAME TYPE." with an entry perhaps after it, or the name of a header field.
  Result<void> read_entry(std::string_view entry) {
    const std::string whole(entry.substr(0, 40));
    const auto name = take_word(entry);
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
      return error(fmt::format("expected the name of a field or of an event, found '{}'", whole));
    const bool has_comma = !entry.empty() && entry.front() == ',';
    trim(entry);
    if (same_name(name, "header")) return begin_section(name, entry);
    if (!entry.empty() && std::isdigit(static_cast<unsigned char>(entry.front())) != 0)
      return begin_section(name, entry);
    if (sections_.empty())
      return error(fmt::format("expected the header first ('header 0.' or 'HEADER'), found '{}'", whole));
    if (entry.empty() || (has_comma && entry == ",")) return add_standard_field(name);
    if (entry.front() == ',') return add_field(name, entry.substr(1));
    return error(fmt::format("expected 'name,offset,length,base' or 'EVENT type.', found '{}'", whole));
  }

  Result<void> begin_section(std::string_view name, std::string_view rest) {
    Section section;
    section.name = name;
    section.line = line_;
    section.is_header = same_name(name, "header");
    std::size_t digits = 0;
    while (digits < rest.size() && std::isdigit(static_cast<unsigned char>(rest[digits])) != 0) ++digits;
    if (digits > 0) {
      const auto type = number_in(rest.substr(0, digits));
      if (!type) return error(fmt::format("type {} of {} is too large", rest.substr(0, digits), section.name));
      section.type = *type;
      rest.remove_prefix(digits);
    }
    trim(rest);
    if (!rest.empty() && (rest.front() == '.' || rest.front() == ',' || rest.front() == ':')) rest.remove_prefix(1);
    trim(rest);
    if (auto checked = check_section(section); !checked) return checked;
    sections_.push_back(std::move(section));
    return rest.empty() ? Result<void>{} : read_entry(rest);
  }

  Result<void> check_section(const Section& section) const {
    if (sections_.empty() && !section.is_header)
      return error("expected the header first ('header 0.' or 'HEADER'), found event " + section.name);
    for (const auto& other : sections_) {
      if (same_name(other.name, section.name))
        return error(fmt::format("{} is described twice: first in line {}", section.name, other.line));
      if (!other.is_header && other.type == section.type)
        return error(fmt::format("type {} is already {}'s, in line {}", section.type, other.name, other.line));
    }
    return {};
  }

  Result<void> add_standard_field(std::string_view name) {
    Section& section = sections_.back();
    if (!section.is_header)
      return error(fmt::format(
          "expected the place of field '{}' as 'name,offset,length,base': only header fields have standard places",
          name));
    std::vector<std::string> names;
    for (const auto& standard : kStandardHeader) {
      if (same_name(standard.name, name)) {
        section.has_standard_places = true;
        return add({std::string(name), standard.offset_bytes, standard.length_bytes, 10});
      }
      names.emplace_back(standard.name);
    }
    return error(fmt::format("no standard header field '{}'{}: give its place as 'name,offset,length,base'", name,
                             did_you_mean(name, names)));
  }

  Result<void> add_field(std::string_view name, std::string_view places) {
    constexpr std::array<const char*, 3> kWhat = {"an offset", "a length", "a base"};
    std::array<std::uint32_t, 3> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const auto comma = i + 1 < numbers.size() ? places.find(',') : places.size();
      const auto text = places.substr(0, comma);
      const auto number = number_in(text);
      if (!number || (i + 1 < numbers.size() && comma == std::string_view::npos))
        return error(
            fmt::format("expected {} for field '{}' ('name,offset,length,base')", kWhat[number ? i + 1 : i], name));
      numbers[i] = *number;
      places.remove_prefix(std::min(text.size() + 1, places.size()));
    }
    return add({std::string(name), numbers[0], numbers[1], numbers[2]});
  }

  Result<void> add(RecordField field) {
    Section& section = sections_.back();
    const std::string what = fmt::format("field '{}'", field.name);
    if (field.base != 2 && field.base != 8 && field.base != 10 && field.base != 16)
      return error(fmt::format("{} has base {}: expected 2, 8, 10 or 16", what, field.base));
    if (field.length_bytes == 0) return error(what + " has length 0");
    if (field.length_bytes > kRecordBytesMax || field.offset_bytes > kRecordBytesMax - field.length_bytes)
      return error(fmt::format("{} ends beyond {} bytes, the longest record", what, kRecordBytesMax));
    for (const auto& other : section.fields) {
      const bool is_same_place = other.offset_bytes == field.offset_bytes && other.length_bytes == field.length_bytes &&
                                 other.base == field.base;
      if (same_name(other.name, field.name))
        return is_same_place ? Result<void>{} : error(fmt::format("{} is described twice in {}", what, section.name));
      if (overlap(other, field))
        return error(fmt::format("{} overlaps field '{}' in {}", what, other.name, section.name));
    }
    if (!section.is_header)
      for (const auto& other : sections_.front().fields)
        if (same_name(other.name, field.name))
          return error(fmt::format("{} of {} is already a field of the header", what, section.name));
    section.fields.push_back(std::move(field));
    return {};
  }

  static bool overlap(const RecordField& a, const RecordField& b) {
    return a.offset_bytes < b.offset_bytes + b.length_bytes && b.offset_bytes < a.offset_bytes + a.length_bytes;
  }

  Result<Descriptions> assemble() {
    if (sections_.empty())
      return Error{file_ + ": expected a header ('header 0.' or 'HEADER') and events, found nothing"};
    const Section& header = sections_.front();
    line_ = header.line;
    if (auto checked = check_header(header); !checked) return checked.error();
    Descriptions descriptions;
    descriptions.header_bytes = header.end();
    descriptions.header = in_order(header.fields);
    for (const auto& section : std::span(sections_).subspan(1)) {
      line_ = section.line;
      RecordLayout layout{section.name, section.type, header.end() + section.end(), descriptions.header};
      if (layout.size_bytes > kRecordBytesMax)
        return error(fmt::format("{} is {} bytes long: the longest record has {}", section.name, layout.size_bytes,
                                 kRecordBytesMax));
      for (auto field : in_order(section.fields)) {
        field.offset_bytes += header.end();
        layout.fields.push_back(std::move(field));
      }
      if (layout.fields.size() > kFieldsMax)
        return error(fmt::format("{} has {} fields: at most {}", section.name, layout.fields.size(), kFieldsMax));
      descriptions.records.push_back(std::move(layout));
    }
    if (descriptions.records.empty()) return error("expected at least one event after the header");
    return descriptions;
  }

  Result<void> check_header(const Section& header) const {
    const auto find = [&](std::string_view name) {
      return std::find_if(header.fields.begin(), header.fields.end(),
                          [&](const RecordField& field) { return same_name(field.name, name); });
    };
    const auto type = std::min(find("traceType"), find("type"));
    if (type == header.fields.end()) {
      std::vector<std::string> names;
      for (const auto& field : header.fields) names.push_back(field.name);
      const std::string nearest = nearest_name("traceType", names);
      return error("expected a field 'traceType' in the header" +
                   (nearest.empty() ? "" : fmt::format(" (is '{}' meant to be it?)", nearest)));
    }
    for (const auto& field : {type, find("size"), find("machine")}) {
      if (field == header.fields.end()) continue;
      const auto length = field->length_bytes;
      if (length != 1 && length != 2 && length != 4 && length != 8)
        return error(fmt::format("header field '{}' has length {}: expected 1, 2, 4 or 8", field->name, length));
    }
    return {};
  }

  static std::vector<RecordField> in_order(std::vector<RecordField> fields) {
    std::sort(fields.begin(), fields.end(),
              [](const RecordField& a, const RecordField& b) { return a.offset_bytes < b.offset_bytes; });
    return fields;
  }

  Error error(const std::string& what) const { return Error{fmt::format("{}:{}: {}", file_, line_, what)}; }

  const std::string& file_;
  int line_ = 0;
  std::vector<Section> sections_;
};

}  // namespace

Result<Descriptions> parse_descriptions(const std::string& file, std::string_view text) {
  return DescriptionParser(file).parse(text);
}

}  // namespace dpm
