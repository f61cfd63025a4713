// A key that was pressed on a terminal.
#pragma once

#include <cstdint>

namespace dpm::view {

struct Key {
  enum class Kind : std::uint8_t {
    none,  // no key was pressed in time
    character,
    up,
    down,
    left,
    right,
    page_up,
    page_down,
    home,
    end,
    enter,
    escape,
    backspace,
    tab,
    resize,
    interrupt,  // Control-C
  };
  Kind kind = Kind::none;
  char character = 0;  // in ASCII

  friend bool operator==(const Key&, const Key&) = default;
};

}  // namespace dpm::view
