// What a program that is looked into can do (S3 2.3): an action on an object in a function. A row of
// TraceInfo::primitive_events, to which the code of a POINT or a VALUE refers. Rows are distinct.
#pragma once

#include <string>

namespace dpm {

struct PrimitiveEvent {
  std::string action;    // "integer_assign"; libdpm's are in libdpm/actions.hpp
  std::string object;    // "i"
  std::string function;  // "main": where the object is declared

  friend bool operator==(const PrimitiveEvent&, const PrimitiveEvent&) = default;
  friend auto operator<=>(const PrimitiveEvent&, const PrimitiveEvent&) = default;
};

}  // namespace dpm
