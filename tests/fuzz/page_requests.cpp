// links: dpm_view_server dpm_view_answers dpm_model
// What strangers and viewers send to the page's server, behind Beast's own parsers: the first byte says which reader gets
// the rest. 'j': a message of a WebSocket. 'q': a query. 'g': a target, behind the right token if it begins with '/'.
#include <string>
#include <string_view>

#include "model/check.hpp"
#include "view/answers/requests.hpp"
#include "view/server/gate.hpp"

namespace {

using namespace dpm::view;

void check(const PageRequest& request) {
  DPM_CHECK(!request.name.empty() && request.name.size() <= 64);
  DPM_CHECK(request.params.is_object() && !request.params.contains("id") && !request.params.contains("request"));
  // What stands in for a missing number is a parameter that could have been given.
  const auto params = read_parameters(request);
  if (!params) return;
  const auto again = read_parameters({request.name, *params});
  DPM_CHECK(again && *again == *params);
}

// What is accepted is accepted again when it is written out, and means the same.
void read_message(std::string_view text) {
  const auto read = read_socket_request(text);
  if (!read) return;
  check(read->request);
  Json written = read->request.params;
  written["id"] = read->id;
  written["request"] = read->request.name;
  const auto again = read_socket_request(written.dump());
  DPM_CHECK(again && again->id == read->id && again->request.params == read->request.params);
}

void read_target(std::string_view rest) {
  const std::string token(32, 'a');
  const Gate gate(token, HostNames(80, false, {}, {}), false);
  const bool has_token = rest.starts_with('/');
  const std::string target = has_token ? "/" + token + std::string(rest) : std::string(rest);
  Knock knock;
  knock.method = "GET";
  knock.target = target;
  knock.host = "localhost";
  const auto verdict = gate.judge(knock);
  const auto* admission = std::get_if<Admission>(&verdict);
  DPM_CHECK(admission == nullptr || target.starts_with("/" + token));
  if (admission == nullptr || admission->place != Place::answer) return;
  const auto request = read_query(admission->name, admission->query);
  if (request) check(*request);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'j') read_message(rest);
  if (data[0] == 'g') read_target(rest);
  if (data[0] != 'q') return 0;
  for (const Request& known : kRequests) {
    const auto request = read_query(known.name, rest);
    if (request) check(*request);
  }
  return 0;
}
