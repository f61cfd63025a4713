// Whether a text is well-formed XML, as far as our own pictures need: tags nest and close, attributes are quoted,
// nothing is left raw.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <vector>

namespace dpm::testing {

// Empty if it is, otherwise the error and its place.
inline std::string xml_fault(const std::string& text) {
  std::vector<std::string> open;
  const auto fault = [&](std::size_t at, const std::string& what) {
    return fmt::format("{} at '{}'", what, text.substr(at, 60));
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '&') {
      const auto end = text.find(';', i);
      if (end == std::string::npos || end - i > 8) return fault(i, "a bare ampersand");
      i = end + 1;
      continue;
    }
    if (text[i] == '>') return fault(i, "a bare >");
    if (text[i] != '<') {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c < 0x20 && c != '\n' && c != '\t') return fault(i, "a control character");
      ++i;
      continue;
    }
    const std::size_t begin = i++;
    const bool closing = i < text.size() && text[i] == '/';
    if (closing) ++i;
    std::string name;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '-')) name += text[i++];
    if (name.empty()) return fault(begin, "a bare <");
    bool self_closed = false;
    while (i < text.size() && text[i] != '>') {
      if (text[i] == '<') return fault(begin, "< inside a tag");
      if (text[i] == '"') {
        const auto end = text.find('"', i + 1);
        if (end == std::string::npos || text.substr(i, end - i).find('<') != std::string::npos)
          return fault(i, "a bad attribute");
        i = end;
      }
      self_closed = text[i] == '/';
      ++i;
    }
    if (i == text.size()) return fault(begin, "a tag without end");
    ++i;
    if (closing) {
      if (open.empty() || open.back() != name) return fault(begin, "a closing tag that closes nothing");
      open.pop_back();
    } else if (!self_closed) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

// The pictures of a page.
inline std::vector<std::string> pictures_of(const std::string& page) {
  std::vector<std::string> pictures;
  for (std::size_t at = page.find("<svg"); at != std::string::npos; at = page.find("<svg", at + 1)) {
    pictures.push_back(page.substr(at, page.find("</svg>", at) + 6 - at));
  }
  return pictures;
}

}  // namespace dpm::testing
