#include "scenarios/behaviour/outgoing.hpp"

#include <fmt/format.h>

#include "model/counted.hpp"
#include "scenarios/behaviour/request_tag.hpp"

namespace dpm {
namespace {

constexpr Field kTo{"to", "process or group; sender is the sender of the message being handled"};

}  // namespace

void check_room(const std::vector<Carried>& carried, const Quantity& bytes, const JsonNode& step,
                const Reading& reading) {
  const auto needed = static_cast<double>(room_for(carried.size()));
  if (bytes.is_known() && bytes.first.number < needed)
    reading.problem(step, fmt::format("a message that carries {} needs at least {} bytes, not {}",
                                      counted(carried.size(), "number"), needed, bytes.first.number));
}

void Outgoing::fields(StepFields& fields, const Field& verb) {
  fields_before_bytes(fields, verb);
  fields.bytes({"bytes", "its length"}, bytes);
  fields.carried(kCarried, carried);
  fields.check([this](const JsonNode& step, const Reading& reading) { check_room(carried, bytes, step, reading); });
  fields.sends(kind, to);
}

void Outgoing::fields_of_forward(StepFields& fields, const Field& verb) {
  fields_before_bytes(fields, verb);
  fields.bytes_or_same({"bytes", "as many as the message has unless given"}, bytes, same_bytes);
  fields.carried(kCarried, carried);
  fields.sends(kind, to);
  fields.needs_message("'forward'");
}

void Outgoing::fields_before_bytes(StepFields& fields, const Field& verb) {
  fields.kind(verb, kind);
  fields.receiver(kTo, to);
  fields.pick(
      {"pick",
       "which member of a group gets it: one at random (unless given), round robin, all, the one that last sent a "
       "message of the request being handled, the one with the least outstanding, or the one to which a key belongs"},
      pick);
  fields.key({"key", "of by_key: a whole number; the request being handled unless given"}, key);
  if (pick == Pick::by_key && !key) fields.needs_message("'by_key' without a 'key'");
  fields.check([this](const JsonNode& step, const Reading& reading) {
    if (to.subscribers && pick == Pick::requester)
      reading.problem(step, "'requester' is a member of a group, not of a list of subscriptions");
    if (key && pick != Pick::by_key) reading.problem(*step.find("key"), "'key' belongs to \"pick\": \"by_key\"");
  });
  fields.remembers(slot);
}

}  // namespace dpm
