// The shape of a trace record: which fields, where, how wide, shown in which base. Meter messages are described this
// way in description files (thesis figure 3.3, metering report figure 3.2), and so are the records of a trace on disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm {

struct RecordField {
  std::string name;
  std::uint32_t offset_bytes = 0;  // from the start of the whole record, header included
  std::uint32_t length_bytes = 0;  // 1, 2, 4 or 8 for numbers; any other length is a byte string
  std::uint32_t base = 10;         // 10 or 16, for display and for the values in rules
};

struct RecordLayout {
  std::string name;        // "SEND"
  std::uint64_t type = 0;  // the value of its type field
  std::uint32_t size_bytes = 0;
  std::vector<RecordField> fields;  // header fields first, by increasing offset
};

}  // namespace dpm
