#include "scenarios/tsp/program.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "model/check.hpp"
#include "scenarios/tsp/protocol.hpp"

namespace dpm::scenarios::tsp {
namespace {

constexpr std::int64_t kShortestWorkNs = 1000;  // simulators do not like durations near their own precision

Duration microseconds(double us) { return Duration::from_seconds(us * 1e-6); }

// What work costs on the modelled machine.
struct WorkCosts {
  double operation_us = 0;
  double message_us = 0;

  // Operations that were really done, and messages received or sent on the way.
  Duration of(std::uint64_t operations, std::uint64_t messages) const {
    const double us = static_cast<double>(operations) * operation_us + static_cast<double>(messages) * message_us;
    return std::max(microseconds(us), Duration{kShortestWorkNs});
  }
};

struct ControllerSettings {
  std::uint32_t size = 0;
  Cost highest_cost = 0;
  std::uint64_t matrix_seed = 0;
  std::uint32_t servers = 0;
  std::string server_prefix;
  int version = 0;
  WorkCosts work;
};

OutgoingMessage message(MessageCode code, std::vector<std::byte> data) {
  const auto length_bytes = static_cast<std::uint32_t>(data.size());
  return {.code = code, .length_bytes = length_bytes, .data = std::move(data)};
}

std::string to_text(const Tour& tour) {
  std::string text = "the best tour costs " + std::to_string(tour.cost) + ":";
  for (const City city : tour.cities) text += " " + std::to_string(city);
  return text;
}

class Controller {
 public:
  Controller(const ControllerSettings& settings, MessageCalls& calls)
      : settings_(settings),
        calls_(calls),
        matrix_(CostMatrix::random(settings.size, settings.highest_cost, settings.matrix_seed)),
        search_(matrix_, settings.version == 1 ? Search::Values::recalculated : Search::Values::kept) {}

  Tour run() {
    distribute_matrix();
    while (!search_.done()) search_.decide(evaluate_level());
    calls_.did_work(unpaid_work(settings_.servers));
    for (const LinkIndex server : servers_) calls_.send_message(server, message(kDone, encode(search_.tour())));
    return search_.tour();
  }

 private:
  void distribute_matrix() {
    for (std::uint32_t i = 1; i <= settings_.servers; ++i) {
      servers_.push_back(calls_.link_to(settings_.server_prefix + std::to_string(i)));
    }
    const OutgoingMessage copy = message(kMatrix, encode(matrix_));
    std::uint64_t operations = matrix_.costs().size();  // written out once, sent to each
    for (const LinkIndex server : servers_) {
      calls_.did_work(settings_.work.of(std::exchange(operations, 0), 1));
      calls_.send_message(server, copy);
    }
  }

  // One level: hands out its pieces, and collects the results. The synchronisation point is its end.
  std::vector<Cost> evaluate_level() {
    const std::size_t pieces = search_.pieces().size();
    std::size_t given = 0;
    const std::size_t rounds = settings_.version == 3 ? 2 : 1;  // requests in flight for each server
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t server = 0; server < servers_.size() && given < pieces; ++server) give(given++, server, 1);
    }
    std::vector<Cost> bounds(pieces);
    for (std::size_t received = 0; received < pieces; ++received) {
      const Message answer = calls_.receive_message();
      DPM_CHECK(answer.code == kResult);
      const PieceResult result = decode_result(answer.data);
      bounds.at(result.number) = result.bound;
      if (given < pieces) {
        give(given++, result.server, 2);
      } else {
        calls_.did_work(unpaid_work(1));
      }
    }
    return bounds;
  }

  void give(std::size_t piece, std::size_t server, std::uint64_t messages) {
    const Path& path = search_.pieces()[piece];
    calls_.did_work(unpaid_work(messages));
    calls_.send_message(
        servers_.at(server),
        message(kPiece, encode(Piece{static_cast<std::uint32_t>(piece), static_cast<std::uint8_t>(server), path})));
  }

  // The operations of the search since the last time, and `messages` handled.
  Duration unpaid_work(std::uint64_t messages) {
    const std::uint64_t operations = search_.operations();
    return settings_.work.of(operations - std::exchange(paid_operations_, operations), messages);
  }

  const ControllerSettings settings_;
  MessageCalls& calls_;
  CostMatrix matrix_;
  Search search_;
  std::vector<LinkIndex> servers_;
  std::uint64_t paid_operations_ = 0;
};

void serve(MessageCalls& calls, const std::string& controller_name, const WorkCosts& work, Duration request) {
  const LinkIndex controller = calls.link_to(controller_name);
  std::optional<CostMatrix> matrix;
  for (;;) {
    const Message received = calls.receive_message();
    if (received.code == kDone) return;
    if (received.code == kMatrix) {
      matrix = decode_matrix(received.data);
      calls.did_work(work.of(matrix->costs().size(), 1));
      continue;
    }
    DPM_CHECK(received.code == kPiece && matrix.has_value());  // the matrix was sent first, and nothing overtakes it
    const Piece piece = decode_piece(received.data);
    const Evaluation evaluation = evaluate_path(*matrix, piece.path);
    calls.did_work(work.of(evaluation.operations, 2) + request);
    calls.send_message(controller, message(kResult, encode(PieceResult{piece.number, piece.server, evaluation.bound})));
  }
}

// README.md says how these were found.
constexpr double kOperationUs = 50;
constexpr double kMessageUs = 50;
constexpr double kRequestUs = 3000;
constexpr double kMatrixSeed = 10194;
constexpr double kHighestCost = 100;
constexpr const char* kServerPrefix = "server_";

constexpr double kHighestCostMax = 1e6;  // a tour through kCitiesMax cities still fits a Cost
constexpr double kServersMax = 255;      // a server's number is one byte of a message

// What the scenario's file cannot know about our parameters.
double checked(const Parameters& parameters, const std::string& name, double otherwise, double low, double high) {
  const double value = parameters.number(name, otherwise);
  if (value >= low && value <= high && value == std::floor(value)) return value;
  std::ostringstream what;
  what << "parameter '" << name << "' must be a whole number from " << low << " to " << high << ", not " << value;
  throw std::invalid_argument(what.str());
}

ParameterDescription operation_parameter() {
  return {"operation_us", kOperationUs,
          "CPU time of one elementary operation (a visit of a matrix cell), in microseconds"};
}

ParameterDescription message_parameter() {
  return {"message_us", kMessageUs,
          "CPU time for building and sending, or receiving and reading, a message, in microseconds"};
}

WorkCosts work_costs(const Parameters& parameters) {
  return {parameters.number("operation_us", kOperationUs), parameters.number("message_us", kMessageUs)};
}

ControllerSettings controller_settings(const Parameters& parameters) {
  ControllerSettings settings;
  settings.size = static_cast<std::uint32_t>(checked(parameters, "size", 8, kCitiesMin, kCitiesMax));
  settings.highest_cost = static_cast<Cost>(checked(parameters, "highest_cost", kHighestCost, 1, kHighestCostMax));
  settings.matrix_seed = static_cast<std::uint64_t>(checked(parameters, "matrix_seed", kMatrixSeed, 0, 0x1p53));
  settings.servers = static_cast<std::uint32_t>(checked(parameters, "servers", 4, 1, kServersMax));
  settings.server_prefix = parameters.text("server_prefix", kServerPrefix);
  settings.version = static_cast<int>(checked(parameters, "version", 1, 1, 3));
  settings.work = work_costs(parameters);
  return settings;
}

ProgramDescription controller_description() {
  ProgramDescription description;
  description.name = "controller";
  description.summary =
      "Divides a travelling salesman problem into pieces, hands them to servers, and decides where to go on.";
  description.parameters = {
      {"size", 8.0, "cities: the matrix has size x size costs (3 to 64)"},
      {"highest_cost", kHighestCost, "costs are drawn evenly from 1 to this"},
      {"matrix_seed", kMatrixSeed, "the instance: the same seed and size give the same matrix"},
      {"servers", 4.0, "server processes (1 to 255)"},
      {"server_prefix", std::string(kServerPrefix), "servers are the processes named this followed by 1, 2, ..."},
      {"version", 1.0,
       "1: works values out again for decisions; 2: keeps them; 3: two requests in flight for each server"},
      operation_parameter(),
      message_parameter(),
  };
  description.make = [](const Parameters& parameters) { return make_controller(parameters, nullptr); };
  return description;
}

ProgramDescription server_description() {
  ProgramDescription description;
  description.name = "server";
  description.summary =
      "Evaluates pieces of a travelling salesman problem: reduces the part of the matrix a path leaves open.";
  description.parameters = {
      {"controller", std::string("controller"), "the process that sends the pieces and gets the results"},
      {"request_us", kRequestUs, "CPU time of a request besides the matrix operations and messages, in microseconds"},
      operation_parameter(),
      message_parameter(),
  };
  description.make = [](const Parameters& parameters) -> Program {
    return [controller = parameters.text("controller", "controller"), work = work_costs(parameters),
            request = microseconds(parameters.number("request_us", kRequestUs))](MessageCalls& calls) {
      serve(calls, controller, work, request);
    };
  };
  return description;
}

}  // namespace

std::vector<ProgramDescription> programs() { return {controller_description(), server_description()}; }

Program make_controller(const Parameters& parameters, std::function<void(const Tour&)> on_result) {
  return [parameters, on_result = std::move(on_result)](MessageCalls& calls) {
    const Tour tour = Controller(controller_settings(parameters), calls).run();
    calls.print_line(to_text(tour));
    if (on_result) on_result(tour);
  };
}

}  // namespace dpm::scenarios::tsp
