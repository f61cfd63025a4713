#include "scenarios/behaviour/outgoing.hpp"

namespace dpm {
namespace {

constexpr Field kTo{"to", "process or group; sender is the sender of the message being handled"};

}  // namespace

void Outgoing::fields(StepFields& fields, const Field& verb) {
  fields_before_bytes(fields, verb);
  fields.bytes({"bytes", "its length"}, bytes);
  fields.sends(kind, to);
}

void Outgoing::fields_of_forward(StepFields& fields, const Field& verb) {
  fields_before_bytes(fields, verb);
  fields.bytes_or_same({"bytes", "as many as the message has unless given"}, bytes, same_bytes);
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
