// make_records DESCRIPTIONS: meter messages from text, so that a case can say what a meter sent. Each line of standard
// input is one message, "SEND pid=3 msgLength=100"; fields not given are 0, and `size` and the type are filled in
// unless given.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "filter/descriptions.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"

namespace {

using dpm::RecordLayout;

const RecordLayout* layout_named(const dpm::Descriptions& descriptions, const std::string& name) {
  for (const auto& layout : descriptions.records)
    if (layout.name == name) return &layout;
  return nullptr;
}

void put(std::string& message, const RecordLayout& layout, const std::string& field, std::uint64_t value) {
  const dpm::RecordField* place = dpm::find_field(layout, field);
  if (place == nullptr) return;
  std::memcpy(message.data() + place->offset_bytes, &value, std::min<std::size_t>(place->length_bytes, sizeof value));
}

int refuse(const std::string& why) {
  std::cerr << "make_records: " << why << '\n';
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return refuse("usage: make_records DESCRIPTIONS < TEXT > MESSAGES");
  const auto text = dpm::read_text_file(argv[1], 1 << 20);
  if (!text) return refuse(text.error().what);
  const auto descriptions = dpm::parse_descriptions(argv[1], *text);
  if (!descriptions) return refuse(descriptions.error().what);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    const RecordLayout* layout = layout_named(*descriptions, name);
    if (layout == nullptr) return refuse("no record '" + name + "'");
    std::string message(layout->size_bytes, '\0');
    put(message, *layout, "traceType", layout->type);
    put(message, *layout, "size", message.size());
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos) return refuse("'" + word + "' is not FIELD=NUMBER");
      const std::string field = word.substr(0, equals);
      if (dpm::find_field(*layout, field) == nullptr) return refuse("no field '" + field + "' in " + name);
      put(message, *layout, field, std::stoull(word.substr(equals + 1), nullptr, 0));
    }
    std::cout << message;
  }
}
