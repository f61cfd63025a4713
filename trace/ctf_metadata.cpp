#include "trace/ctf_metadata.hpp"

#include "trace/event_fields.hpp"

namespace dpm {
namespace {

std::string integer(std::uint32_t bytes, std::uint32_t base, bool is_signed_integer) {
  return "integer { size = " + std::to_string(bytes * 8) +
         "; align = 8; signed = " + (is_signed_integer ? "true" : "false") + "; base = " + std::to_string(base) + "; }";
}

// A leading underscore keeps a field called "event" or "long" from being a keyword; readers strip it.
std::optional<EventMember> member_of(const RecordLayout& layout, const RecordField& field) {
  const auto type = event_type_from_name(layout.name);
  return type ? member_named(*type, field.name) : std::nullopt;
}

std::string declaration(const RecordLayout& layout, const RecordField& field, const CtfNames& names) {
  const auto member = member_of(layout, field);
  if (const auto named = member ? names.type_of(*member) : std::nullopt)
    return std::string(*named) + " _" + field.name + ";";
  const bool is_number =
      field.length_bytes == 1 || field.length_bytes == 2 || field.length_bytes == 4 || field.length_bytes == 8;
  if (is_number) return integer(field.length_bytes, field.base, is_signed(field)) + " _" + field.name + ";";
  return integer(1, 16, false) + " _" + field.name + "[" + std::to_string(field.length_bytes) + "];";
}

std::string event_class(std::uint32_t stream, std::size_t id, const RecordLayout& layout, const RecordClass& record,
                        const CtfNames& names) {
  std::string text = "event {\n  name = " + ctf_literal(layout.name) + ";\n  id = " + std::to_string(id) +
                     ";\n  stream_id = " + std::to_string(stream) + ";\n  fields := struct {\n";
  for (std::size_t i = 0; i < layout.fields.size(); ++i)
    if (record.has(i)) text += "    " + declaration(layout, layout.fields[i], names) + "\n";
  return text + "  };\n};\n";
}

std::string clock_name(MachineId machine) { return "machine_" + std::to_string(machine.value); }

}  // namespace

std::string ctf_prologue() {
  return "/* CTF 1.8 */\n"
         "typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
         "typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
         "typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
         "trace {\n  major = 1;\n  minor = 8;\n  byte_order = le;\n"
         "  packet.header := struct { uint32_t magic; uint32_t stream_id; };\n};\n"
         "env {\n  tracer_name = \"dpm\";\n};\n";
}

std::string ctf_clock(MachineId machine, const std::string& machine_name) {
  const std::string name = clock_name(machine);
  return "clock {\n  name = " + name + ";\n  description = " + ctf_literal("the clock of machine " + machine_name) +
         ";\n  freq = 1000000000;\n};\n"
         "typealias integer { size = 64; align = 8; signed = false; map = clock." +
         name + ".value; } := " + name + "_time_t;\n";
}

std::string ctf_stream(std::uint32_t stream, MachineId machine, const TraceDescription& description,
                       std::uint16_t filter, const CtfNames& names) {
  const std::string time_type = clock_name(machine) + "_time_t";
  std::string text = "stream {\n  id = " + std::to_string(stream) + ";\n  event.header := struct { uint16_t id; " +
                     time_type + " timestamp; };\n" + "  packet.context := struct {\n    " + time_type +
                     " timestamp_begin;\n    " + time_type +
                     " timestamp_end;\n    uint64_t content_size;\n    uint64_t packet_size;\n"
                     "    uint64_t events_discarded;\n    uint64_t packet_seq_num;\n    uint64_t checksum;\n"
                     "    uint64_t records;\n    uint32_t machine;\n    uint32_t filter;\n  };\n};\n";
  const auto& classes = description.filters.at(filter).classes;
  for (std::size_t id = 0; id < classes.size(); ++id)
    text += event_class(stream, id, description.layouts.at(classes[id].layout), classes[id], names);
  return text;
}

std::size_t ctf_fields_with_names(const TraceDescription& description, std::uint16_t filter) {
  std::size_t fields = 0;
  for (const RecordClass& record : description.filters.at(filter).classes) {
    const RecordLayout& layout = description.layouts.at(record.layout);
    for (std::size_t i = 0; i < layout.fields.size(); ++i) {
      const auto member = record.has(i) ? member_of(layout, layout.fields[i]) : std::nullopt;
      fields += member && CtfNames::can_name(*member);
    }
  }
  return fields;
}

}  // namespace dpm
