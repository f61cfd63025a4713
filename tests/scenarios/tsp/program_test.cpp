#include "scenarios/tsp/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "scenarios/tsp/protocol.hpp"
#include "tests/scenarios/tsp/held_karp.hpp"
#include "tests/scenarios/tsp/small_machine_room.hpp"
#include "tests/scenarios/tsp/solve_sequential.hpp"
#include "tests/support/catch.hpp"

namespace dpm::scenarios::tsp {
namespace {

struct Setup {
  int size = 8;
  std::uint64_t seed = 10194;
  int servers = 4;
  int version = 1;
  int servers_per_machine = 1;  // 0: everything on one machine
  bool delays = true;
};

struct Run {
  test::RoomResult room;
  std::optional<Tour> tour;
};

Program server_program() {
  const auto all = programs();
  const auto server =
      std::find_if(all.begin(), all.end(), [](const auto& program) { return program.name == "server"; });
  return server->make({});
}

// The controller has a machine of its own.
Run run(const Setup& setup) {
  Parameters parameters;
  parameters.set("size", static_cast<double>(setup.size));
  parameters.set("matrix_seed", static_cast<double>(setup.seed));
  parameters.set("servers", static_cast<double>(setup.servers));
  parameters.set("version", static_cast<double>(setup.version));
  Run run;
  const auto keep = [&run](const Tour& tour) { run.tour = tour; };
  std::vector<test::RoomProcess> processes = {
      {"controller", setup.servers_per_machine == 0 ? "m0" : "c", make_controller(parameters, keep)}};
  for (int i = 0; i < setup.servers; ++i) {
    const int machine = setup.servers_per_machine == 0 ? 0 : i / setup.servers_per_machine;
    processes.push_back({std::string("server_").append(std::to_string(i + 1)),
                         std::string("m").append(std::to_string(machine)), server_program()});
  }
  run.room = test::run_in_room(processes, setup.delays ? DelayModel::demos_vax() : DelayModel{}, setup.delays);
  INFO(run.room.error);
  REQUIRE(run.room.error.empty());
  REQUIRE_FALSE(run.room.deadlock);
  return run;
}

double parallelism(const Setup& setup) { return run(setup).room.parallelism(); }

Setup study(int size, int servers, int servers_per_machine, int version = 1) {
  Setup setup;
  setup.size = size;
  setup.servers = servers;
  setup.servers_per_machine = servers_per_machine;
  setup.version = version;
  return setup;
}

}  // namespace

TEST_CASE("tsp: controller and servers find the best tour, in every version and placement", "[tsp]") {
  for (int size = 4; size <= 13; ++size) {
    for (int version = 1; version <= 3; ++version) {
      for (std::uint64_t seed = 1; seed <= (size <= 9 ? 4u : 1u); ++seed) {
        Setup setup = study(size, 1 + static_cast<int>((seed * 3 + static_cast<unsigned>(version)) % 9), 1, version);
        setup.seed = seed;
        setup.servers_per_machine = static_cast<int>(seed % 3);
        setup.delays = seed % 2 == 0;
        const Run done = run(setup);
        INFO("size " << size << ", version " << version << ", seed " << seed << ", servers " << setup.servers);
        REQUIRE(done.tour.has_value());
        const CostMatrix matrix = CostMatrix::random(static_cast<std::uint32_t>(size), 100, seed);
        CHECK(done.tour->cost == test::held_karp(matrix));
        CHECK(done.tour->cities == test::solve_sequential(matrix).cities);
      }
    }
  }
}

TEST_CASE("tsp: the CPU time used is the same wherever the processes are", "[tsp]") {
  for (int version = 1; version <= 3; ++version) {
    const Run apart = run(study(12, 8, 1, version));
    const double controller_s = apart.room.cpu_s.at("controller");
    Setup others[] = {study(12, 8, 2, version), study(12, 8, 0, version), study(12, 8, 1, version)};
    others[2].delays = false;
    for (const Setup& other : others) {
      const Run moved = run(other);
      CHECK(moved.room.cpu_s.at("controller") == Approx(controller_s).epsilon(1e-12));
      CHECK(moved.room.total_cpu_s() == Approx(apart.room.total_cpu_s()).epsilon(1e-12));
      CHECK(moved.room.messages == apart.room.messages);
    }
  }
}

TEST_CASE("tsp: every server is put to work", "[tsp]") {
  // At first the study did the opposite: all pieces went to one server, and the answers were still right.
  for (int version = 1; version <= 3; ++version) {
    std::set<std::string> senders;
    const Run done = run(study(8, 7, 1, version));
    for (const auto& [sender, bytes] : done.room.sent) senders.insert(sender);
    CHECK(senders.size() == 8);
  }
}

TEST_CASE("tsp: the same run twice sends the same messages", "[tsp]") {
  const Run first = run(study(10, 5, 2, 3)), second = run(study(10, 5, 2, 3));
  CHECK(first.room.sent == second.room.sent);
  CHECK(first.room.makespan_s == second.room.makespan_s);
}

TEST_CASE("tsp: P grows with the matrix, and with the servers less than linearly", "[tsp]") {
  for (const int per_machine : {1, 2}) {
    double smaller = 0;
    for (const int size : {4, 8, 12, 16}) {
      const double larger = parallelism(study(size, 4, per_machine));
      INFO("size " << size << ", servers to a machine " << per_machine);
      CHECK(larger > smaller);
      smaller = larger;
    }
    const double four = smaller, eight = parallelism(study(16, 8, per_machine)),
                 sixteen = parallelism(study(16, 16, per_machine));
    CHECK((four < eight && eight < sixteen));
    CHECK((eight < 2 * four && sixteen < 2 * eight));
  }
}

TEST_CASE("tsp: a machine for each server matters more the larger the matrix", "[tsp]") {
  double before = 0;
  for (const int size : {4, 8, 12, 16}) {
    const double gap = parallelism(study(size, 4, 1)) - parallelism(study(size, 4, 2));
    CHECK(gap > before);
    before = gap;
  }
}

TEST_CASE("tsp: keeping values is faster than computing them again, and two requests in flight are faster than one",
          "[tsp]") {
  for (const int servers : {4, 8}) {
    const Run first = run(study(16, servers, 1, 1)), second = run(study(16, servers, 1, 2)),
              third = run(study(16, servers, 1, 3));
    CHECK(first.room.parallelism() < second.room.parallelism());
    CHECK(second.room.parallelism() < third.room.parallelism());
    CHECK(first.room.cpu_s.at("controller") > second.room.cpu_s.at("controller"));
    CHECK(second.room.total_cpu_s() == Approx(third.room.total_cpu_s()).epsilon(1e-12));
  }
}

TEST_CASE("tsp: the matrix goes to each server once, all other messages are small", "[tsp]") {
  const Run done = run(study(16, 4, 1));
  std::map<std::uint32_t, int> count_by_bytes;
  for (const auto& [sender, bytes] : done.room.sent) ++count_by_bytes[bytes];
  CHECK(count_by_bytes.at(4 + 4 * 16 * 16) == 4);
  for (const auto& [bytes, count] : count_by_bytes) CHECK((bytes == 4 + 4 * 16 * 16 || bytes <= 6 + 16));
}

TEST_CASE("tsp: what is encoded is decoded", "[tsp]") {
  const CostMatrix matrix = CostMatrix::random(20, 100000, 1);
  CHECK(decode_matrix(encode(matrix)).costs() == matrix.costs());
  const Piece piece = decode_piece(encode(Piece{513, 255, {0, 63, 1}}));
  CHECK((piece.number == 513 && piece.server == 255 && piece.path == Path{0, 63, 1}));
  const PieceResult result = decode_result(encode(PieceResult{70000, 7, 123456789}));
  CHECK((result.number == 70000 && result.server == 7 && result.bound == 123456789));
}

TEST_CASE("tsp: a parameter out of range ends the controller and is named", "[tsp]") {
  const std::map<std::string, double> wrong = {
      {"size", 65}, {"version", 4}, {"servers", 0}, {"highest_cost", .5}, {"matrix_seed", -1}};
  for (const auto& [name, value] : wrong) {
    Parameters parameters;
    parameters.set(name, value);
    const auto room = test::run_in_room({{"controller", "c", make_controller(parameters, nullptr)}}, {}, true);
    CHECK_THAT(room.error, Catch::Contains("controller") && Catch::Contains(fmt::format("'{}'", name)));
  }
}

TEST_CASE("tsp: a parameter that is not given has the default the program describes", "[tsp]") {
  const auto room = [](bool given) {
    std::vector<test::RoomProcess> processes;
    for (const auto& program : programs()) {
      Parameters parameters;
      for (const auto& parameter : program.parameters) {
        CHECK_FALSE(parameter.meaning.empty());
        if (given) parameters.set(parameter.name, parameter.default_value);
      }
      const bool is_server = program.name == "server";
      for (int i = 1; i <= (is_server ? 4 : 1); ++i) {
        const std::string name = is_server ? std::string("server_").append(std::to_string(i)) : program.name;
        processes.push_back({name, name, program.make(parameters)});
      }
    }
    return test::run_in_room(processes, DelayModel::demos_vax(), true);
  };
  const auto given = room(true), left_out = room(false);
  CHECK(given.error.empty());
  CHECK_FALSE(given.deadlock);
  CHECK(given.sent == left_out.sent);
  CHECK(given.makespan_s == left_out.makespan_s);
}

}  // namespace dpm::scenarios::tsp
