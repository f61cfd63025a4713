// Reads the steps of one program, and collects what the program needs: slots of memory, messages sent and taken.
#pragma once

#include "scenarios/behaviour/program_reader.hpp"

namespace dpm {

class StepReader {
 public:
  StepReader(const Reading& reading, const Kinds& kinds, const NameGroups& processes, InFileProgram& program)
      : reading_(reading), kinds_(kinds), processes_(processes), program_(program) {}

  void set_variables(std::vector<std::string> of_process, std::vector<std::string> of_request) {
    variables_ = std::move(of_process);
    request_variables_ = std::move(of_request);
  }
  void set_subscriptions(std::vector<std::string> names) { subscriptions_ = std::move(names); }
  Steps read_steps(const JsonNode& node, const std::string& what);
  Handler read_handler(const JsonNode& node);
  Idle read_idle(const JsonNode& node);
  QueueLimit read_queue(const JsonNode& node);

 private:
  friend class FieldReader;

  Step read_step(const JsonNode& node);
  std::vector<std::string> names_of_variables() const;
  std::optional<Result<KnownLater>> known_later(const std::string& name);

  const Reading& reading_;
  const Kinds& kinds_;
  const NameGroups& processes_;
  InFileProgram& program_;
  std::vector<std::string> variables_;
  std::vector<std::string> request_variables_;
  std::vector<std::string> subscriptions_;
  bool has_message_ = false;  // the steps being read have a current message
  const LaterNames later_ = [this](const std::string& name) { return known_later(name); };
};

}  // namespace dpm
