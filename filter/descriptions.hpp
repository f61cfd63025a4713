// Descriptions of event records: which fields a meter message has, where, how long and in which base. The author of a
// meter writes them, so that one filter understands the messages of any system.
//
// The syntax is that of both original documents (thesis figure 3.3, metering report figure 3.2):
//
//   header 0.                      the header of every message; "HEADER" alone is enough
//     machine,0,4,16               name, offset, length, base
//     traceType,4,4,10;            entries end at a newline or ";"
//   SENDMESSAGE 1.                 an event and its type number, then "." or "," or nothing
//     fromTask,0,4,16              offsets count from the end of the header
//
// The header's fields may be listed by name alone, as in the report; they then have the offsets of the report's
// MeterHeader. An entry may be repeated word for word (figure 3.3 does so). "//" begins a comment.
//
// Refused, with file, line and what was expected: entries that overlap, fields without length, bases other than 2, 8,
// 10 and 16, names or types given twice, a missing header, a header without a type field, records over 32 KB or 64
// fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/record_layout.hpp"
#include "model/result.hpp"

namespace dpm {

struct Descriptions {
  std::uint32_t header_bytes = 0;
  std::vector<RecordField> header;    // of every record
  std::vector<RecordLayout> records;  // with the header's fields, offsets from the start of the record
};

Result<Descriptions> parse_descriptions(const std::string& file, std::string_view text);

}  // namespace dpm
