// Two processes that send each other a message of a size, again and again: how thesis figure 5.11 was measured.
#include "model/program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace dpm::scenarios::ping_pong {
namespace {

constexpr std::uint32_t kPing = 1;
constexpr std::uint32_t kPong = 2;
constexpr std::uint32_t kEnd = 3;

std::uint32_t whole(const Parameters& parameters, const char* name) {
  constexpr double kMax = 1e9;
  const double value = parameters.number(name, 0);
  if (!(value >= 0 && value <= kMax && value == std::floor(value)))
    throw std::invalid_argument(fmt::format("'{}' must be a whole number from 0 to {:g}, not {:g}", name, kMax, value));
  return static_cast<std::uint32_t>(value);
}

struct Settings {
  std::uint32_t rounds;
  std::uint32_t bytes;
  std::string partner;

  explicit Settings(const Parameters& parameters)
      : rounds(whole(parameters, "rounds")),
        bytes(whole(parameters, "bytes")),
        partner(parameters.text("partner", "")) {}
};

ProgramDescription ping() {
  const auto make = [](const Parameters& parameters) -> Program {
    return [settings = Settings(parameters)](MessageCalls& calls) {
      const LinkIndex to_pong = calls.link_to(settings.partner);
      for (std::uint32_t round = 0; round < settings.rounds; ++round) {
        calls.send_message(to_pong, {.code = kPing, .length_bytes = settings.bytes});
        calls.receive_message();
      }
      calls.send_message(to_pong, {.code = kEnd, .length_bytes = settings.bytes});
    };
  };
  return {"ping",
          "Sends, waits for the answer, and begins again.",
          {{"rounds", 1000.0, "how often"},
           {"bytes", 100.0, "length of each message, bytes"},
           {"partner", std::string("pong"), "process that answers"}},
          make};
}

ProgramDescription pong() {
  const auto make = [](const Parameters& parameters) -> Program {
    return [settings = Settings(parameters)](MessageCalls& calls) {
      const LinkIndex to_ping = calls.link_to(settings.partner);
      while (calls.receive_message().code != kEnd)
        calls.send_message(to_ping, {.code = kPong, .length_bytes = settings.bytes});
    };
  };
  return {"pong",
          "Answers every message with one of the same size, until told to end.",
          {{"bytes", 100.0, "length of each message, bytes"}, {"partner", std::string("ping"), "process that sends"}},
          make};
}

}  // namespace

std::vector<ProgramDescription> programs() { return {ping(), pong()}; }

}  // namespace dpm::scenarios::ping_pong
