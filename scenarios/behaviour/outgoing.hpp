// What the steps that send a message to a process or a group have in common.
#pragma once

#include "scenarios/behaviour/step_fields.hpp"

namespace dpm {

struct Outgoing {
  KindName kind;
  Whom to;
  Quantity bytes;
  bool same_bytes = false;  // as many as the message being handled has
  Pick pick = Pick::random;
  std::optional<Quantity> key{};  // of by_key; none: the request is the key
  std::vector<Carried> carried{};
  std::size_t slot = 0;

  void fields(StepFields& fields, const Field& verb);
  // The same, for a message that is passed on.
  void fields_of_forward(StepFields& fields, const Field& verb);

 private:
  void fields_before_bytes(StepFields& fields, const Field& verb);
};

// Reported when a message is too short for the numbers that it carries.
void check_room(const std::vector<Carried>& carried, const Quantity& bytes, const JsonNode& step,
                const Reading& reading);

}  // namespace dpm
