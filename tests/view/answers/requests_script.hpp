// The table of requests as the page's script has it, and as docs/live-page.md lists it.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <set>
#include <string>

#include "view/answers/requests.hpp"

namespace dpm::test {

inline std::string member_line(const view::Field& field) {
  if (field.name.ends_with('#'))
    return fmt::format("[name: `{}${{number}}`]: {};", field.name.substr(0, field.name.size() - 1), field.type);
  return fmt::format("{}: {};", field.name, field.type);
}

inline std::string interface_text(const view::Structure& structure) {
  constexpr std::size_t kColumns = 160;
  std::string in_one_line = fmt::format("export interface {} {{", structure.name);
  std::string text = in_one_line + "\n";
  for (const view::Field& field : structure.fields) {
    in_one_line += " " + member_line(field);
    text += "  " + member_line(field) + "\n";
  }
  return "\n" + (in_one_line.size() < kColumns ? in_one_line + " }\n" : text + "}\n");
}

inline std::string request_text(const view::Request& request) {
  std::string parameters;
  for (const view::Field& parameter : request.parameters) parameters += " " + member_line(parameter);
  return fmt::format("  {}: {{ parameters: {{{}{}}}; answer: {}{} }};\n", request.name, parameters,
                     parameters.empty() ? "" : " ", request.answer, request.may_be_computing ? " | Computing" : "");
}

inline std::string requests_script() {
  std::string text =
      "// What the page can ask, and the answers. Written from view/answers/request_table.hpp by tests/view/answers\n"
      "// (./dev bless answers): change it there.\n\n"
      "export type ProcessId = number;\n\n"
      "// Arrays beside the JSON: of the type that their name tells from a server, lists in a file.\n"
      "export type Numbers = ArrayLike<number> & Iterable<number>;\n";
  for (const char* type : {"f64", "f32", "u32", "u8"}) text += fmt::format("export type {} = Numbers;\n", type);
  for (const view::Structure& structure : view::kStructures) text += interface_text(structure);
  text += "\nexport interface Requests {\n";
  for (const view::Request& request : view::kRequests) text += request_text(request);
  return text +
         "}\n\n"
         "export type RequestName = keyof Requests;\n"
         "export type Parameters<Name extends RequestName> = Requests[Name][\"parameters\"];\n"
         "// Without what of the trace it is of, as a file has it; and with it, as it is asked for.\n"
         "export type Bare<Name extends RequestName> = Requests[Name][\"answer\"];\n"
         "export type Answer<Name extends RequestName> = Bare<Name> & Stamped;\n";
}

inline std::string request_rows() {
  std::string text = "| request | parameters | answer |\n|---|---|---|\n";
  for (const view::Request& request : view::kRequests) {
    std::string names;
    for (const view::Field& parameter : request.parameters)
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", view::bare_name(parameter));
    text += fmt::format("| `{}` | {} | {} |\n", request.name, names, request.says);
  }
  return text;
}

// "\|", as a cell of a table has it.
inline std::string in_cell(std::string_view type) {
  std::string text;
  for (const char c : type) text += c == '|' ? std::string("\\|") : std::string(1, c);
  return text;
}

inline std::string limits_text(const view::Field& parameter) {
  std::string text = parameter.says.empty() ? "" : std::string(parameter.says);
  if (parameter.most < view::Field::kNoLimit) text += fmt::format("; {} to {}", parameter.least, parameter.most);
  if (parameter.entries_most > 0) text += fmt::format("; at most {}", parameter.entries_most);
  if (parameter.otherwise != -view::Field::kNoLimit) text += fmt::format("; without it {}", parameter.otherwise);
  if (!parameter.like.empty()) text += fmt::format("; such as `{}`", parameter.like);
  return text;
}

// One row for each parameter, however many requests have it.
inline std::string parameter_rows() {
  std::string text = "| parameter | type | |\n|---|---|---|\n";
  std::set<std::string> rows;
  for (const view::Request& request : view::kRequests)
    for (const view::Field& parameter : request.parameters) {
      const std::string row = fmt::format("| `{}` | `{}` | {} |\n", view::bare_name(parameter), in_cell(parameter.type),
                                          limits_text(parameter));
      if (rows.insert(row).second) text += row;
    }
  return text;
}

}  // namespace dpm::test
