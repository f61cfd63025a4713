#include "view/answers/page_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "model/lower_case.hpp"
#include "model/utf8.hpp"
#include "os/hexadecimal.hpp"

namespace dpm::view {
namespace {

constexpr std::uint64_t kIdMax = std::uint64_t{1} << 53;
constexpr std::size_t kNameBytesMax = 64;
constexpr int kDepthMax = 32;  // of lists and objects: code that walks through them is recursive

bool is_name(std::string_view name) {
  const auto may_be_in_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), may_be_in_name);
}

bool is_shallow(std::string_view json) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (in_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth > kDepthMax) return false;
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return true;
}

std::optional<Json> parsed(std::string_view text) {
  if (!is_shallow(text)) return std::nullopt;
  auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

Error unknown_name() { return Error{"the name of a request has 1 to 64 lower-case letters, digits and '_'"}; }

Result<std::pair<std::string, Json>> read_pair(std::string_view pair) {
  const auto equals = pair.find('=');
  const auto key = percent_decoded(pair.substr(0, equals));
  const auto value = percent_decoded(equals == std::string_view::npos ? "" : pair.substr(equals + 1));
  if (!key) return key.error();
  if (!value) return value.error();
  if (!is_utf8(*key) || !is_utf8(*value)) return Error{"a query is UTF-8"};
  if (key->empty()) return Error{"a parameter has a name: KEY=VALUE"};
  return std::pair(*key, parsed(*value).value_or(Json(*value)));
}

}  // namespace

Result<SocketRequest> read_socket_request(std::string_view text) {
  auto json = parsed(text);
  if (!json || !json->is_object())
    return Error{fmt::format("a request is a JSON object, nested at most {} deep", kDepthMax)};
  const auto id = json->find("id");
  if (id == json->end() || !id->is_number_unsigned() || id->get<std::uint64_t>() > kIdMax)
    return Error{"\"id\" of a request is a whole number from 0 to 2^53"};
  const auto name = json->find("request");
  if (name == json->end() || !name->is_string() || !is_name(name->get_ref<const std::string&>())) return unknown_name();
  SocketRequest request{id->get<std::uint64_t>(), {name->get<std::string>(), {}}};
  json->erase("id");
  json->erase("request");
  request.request.params = *std::move(json);
  return request;
}

Result<PageRequest> read_query(std::string_view name, std::string_view query) {
  if (!is_name(name)) return unknown_name();
  PageRequest request{std::string(name), Json::object()};
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    auto pair = read_pair(query.substr(0, end));
    if (!pair) return pair.error();
    if (pair->first == "id" || pair->first == "request")
      return Error{fmt::format("no parameter is called '{}'", pair->first)};
    if (request.params.contains(pair->first)) return Error{"a parameter is given twice"};
    request.params[pair->first] = std::move(pair->second);
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return request;
}

Result<std::string> percent_decoded(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      bytes += text[at] == '+' ? ' ' : text[at];
      continue;
    }
    const auto byte = text.size() - at > 2 ? from_hexadecimal(lower_case(text.substr(at + 1, 2))) : std::nullopt;
    if (!byte) return Error{"'%' is followed by two hexadecimal digits"};
    bytes += *byte;
    at += 2;
  }
  return bytes;
}

}  // namespace dpm::view
