#include <fmt/format.h>

#include <algorithm>

#include "tests/arrows/arrow_rules.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

std::vector<SourceFile> tree_of(const Files& files) { return read_source_tree(PlantedTree(files).root()); }

// A project of three levels: a folder beside another, one inside another, and programs.
const Files kProject = {
    {"model/CMakeLists.txt", "dpm_component(model)\n"},
    {"trace/CMakeLists.txt", "# dpm_component(not_this USES dpm_all)\ndpm_component(trace USES dpm_model)\n"},
    {"linux/kernel/CMakeLists.txt", "dpm_component(os_kernel USES dpm_model)\n"},
    {"linux/calls/CMakeLists.txt", "dpm_component(linux_calls USES dpm_os_kernel\n  dpm_model Threads::Threads)\n"},
    {"scenarios/CMakeLists.txt",
     "dpm_programs(USES dpm_model)\ndpm_component(scenarios USES dpm_model dpm_trace ${program_libraries})\n"},
    {"scenarios/ping-pong/program.cpp", ""},
    {"tests/CMakeLists.txt", ""},
};

std::vector<std::string> broken_with(const std::string& path, const std::string& text) {
  Files files = kProject;
  files.emplace_back(path, text);
  return broken_arrows(tree_of(files));
}

// The project itself with one include line more.
std::vector<std::string> broken_by(const std::string& path, const std::string& header) {
  auto files = read_source_tree(source_root());
  files.push_back({path, {fmt::format("#include \"{}\"", header)}});
  return broken_arrows(files);
}

}  // namespace

TEST_CASE("arrows: every include of the project follows the USES lines", "[arrows]") {
  const auto files = read_source_tree(source_root());
  REQUIRE(std::any_of(files.begin(), files.end(), [](const auto& file) { return file.path == "model/event.hpp"; }));
  for (const auto& broken : broken_arrows(files)) FAIL_CHECK(broken);
}

TEST_CASE("arrows: the folders at the top have one order, and every include follows it", "[arrows]") {
  const auto files = read_source_tree(source_root());
  CHECK(top_folders(files).front() == "model");
  for (const auto& broken : broken_order(files)) FAIL_CHECK(broken);
}

TEST_CASE("arrows: every folder at the top that is compiled has a place in the order", "[arrows]") {
  const auto files = read_source_tree(source_root());
  const auto order = top_folders(files);
  for (const auto& component : read_components(files)) {
    INFO(component.folder);
    CHECK(std::find(order.begin(), order.end(), component.folder.substr(0, component.folder.find('/'))) != order.end());
  }
}

TEST_CASE("arrows: an include that goes up at the top is named, also where a USES line allows it", "[arrows]") {
  const Files files = {
      {"CMakeLists.txt",
       "add_subdirectory(model)\nadd_subdirectory(trace)\n# add_subdirectory(all)\nadd_subdirectory(tests)\n"},
      {"model/CMakeLists.txt", "dpm_component(model USES dpm_trace)\n"},
      {"trace/CMakeLists.txt", "dpm_component(trace USES dpm_model)\n"},
      {"trace/writer.hpp", "#include \"model/event.hpp\"\n"},
      {"model/event.cpp", "#include \"model/event.hpp\"\n#include \"trace/writer.hpp\"\n"},
      {"tests/a.cpp", "#include \"trace/writer.hpp\"\n"},
  };
  CHECK(broken_order(tree_of(files)) ==
        std::vector<std::string>{"model/event.cpp:2: model stands below trace (\"trace/writer.hpp\"); the order is "
                                 "model, trace, tests (CMakeLists.txt)"});
}

TEST_CASE("arrows: every library in a USES line is needed by an include", "[arrows]") {
  for (const auto& unused : unused_arrows(read_source_tree(source_root()))) FAIL_CHECK(unused);
}

TEST_CASE("arrows: a planted arrow is named with file, line, arrow and what is allowed", "[arrows]") {
  CHECK(broken_with("trace/writer.cpp", "#include <string>\n\n#include \"linux/kernel/tracee.hpp\"\n") ==
        std::vector<std::string>{"trace/writer.cpp:3: arrow trace -> linux/kernel (\"linux/kernel/tracee.hpp\"); "
                                 "trace may use model (trace/CMakeLists.txt)"});
  CHECK(broken_with("model/event.cpp", "  #  include \"trace/writer.hpp\"\n") ==
        std::vector<std::string>{"model/event.cpp:1: arrow model -> trace (\"trace/writer.hpp\"); "
                                 "model may use nothing (model/CMakeLists.txt)"});
}

TEST_CASE("arrows: a planted arrow inside the largest folders of the project is found", "[arrows]") {
  CHECK(broken_by("control/transport/link/planted.cpp", "control/protocol/control_message.hpp").size() == 1);
  CHECK(broken_by("os/kernel/planted.cpp", "backends/linux/supervisor/supervisor.hpp").size() == 1);
  CHECK(broken_by("backends/linux/custody/keeper/planted.cpp", "backends/linux/custody/acquire/acquire.hpp").size() ==
        1);
  CHECK(broken_by("answers/report/planted.cpp", "cli/run/study.hpp").size() == 1);
  CHECK(broken_by("scenarios/tsp/planted.cpp", "scenarios/scenario_file.hpp").size() == 1);
}

TEST_CASE("arrows: a component includes itself and what it uses, at every depth", "[arrows]") {
  struct Row {
    std::string from, to;
    bool allowed;
  };
  const std::vector<Row> rows = {
      {"trace/a.cpp", "model/event.hpp", true},
      {"trace/a.cpp", "trace/b.hpp", true},
      {"trace/a.cpp", "linux/kernel/b.hpp", false},
      {"linux/calls/a.cpp", "linux/kernel/b.hpp", true},
      {"linux/calls/deeper/a.cpp", "linux/kernel/b.hpp", true},
      {"linux/kernel/a.cpp", "linux/calls/b.hpp", false},
      {"linux/calls/a.cpp", "trace/reader.hpp", false},
      {"scenarios/loader/a.cpp", "trace/reader.hpp", true},
      {"scenarios/ping-pong/a.cpp", "model/event.hpp", true},
      {"scenarios/ping-pong/a.cpp", "trace/reader.hpp", false},
      {"scenarios/ping-pong/a.cpp", "scenarios/loader/b.hpp", false},
      {"tests/live/a.cpp", "linux/calls/b.hpp", true},
      {"tools/a.cpp", "model/event.hpp", false},
      {"trace/a.cpp", "tools/a.hpp", false},
      {"model/a.cpp", "event.hpp", false},
  };
  for (const auto& row : rows) {
    INFO(row.from << " including " << row.to);
    CHECK(broken_with(row.from, fmt::format("#include \"{}\"\n", row.to)).empty() == row.allowed);
  }
}

TEST_CASE("arrows: a used library that no file includes is named", "[arrows]") {
  Files files = kProject;
  files.emplace_back("linux/calls/a.cpp", "#include \"linux/kernel/b.hpp\"\n");
  const auto unused = unused_arrows(tree_of(files));
  CHECK(std::find(unused.begin(), unused.end(),
                  "linux/calls/CMakeLists.txt: linux/calls includes nothing of dpm_model") != unused.end());
  CHECK(std::none_of(unused.begin(), unused.end(),
                     [](const auto& each) { return each.find("dpm_os_kernel") != std::string::npos; }));
}

TEST_CASE("arrows: a library is included only at its home", "[arrows]") {
  const std::vector<std::string> headers = {"simgrid/s4u.hpp",    "xbt/log.h",        "nlohmann/json.hpp",
                                            "CLI/CLI.hpp",        "catch2/catch.hpp", "boost/asio.hpp",
                                            "elfutils/libdwfl.h", "linux/seccomp.h",  "boost/beast/http.hpp"};
  for (const auto& header : headers) {
    INFO(header);
    CHECK(broken_with("filter/a.cpp", fmt::format("#include <{}>\n", header)).size() == 1);
  }
  CHECK(broken_with("backends/sim/a.cpp", "#include <simgrid/s4u.hpp>\n").empty());
  CHECK(broken_with("view/server/a.cpp", "#include <boost/beast/http.hpp>\n").empty());
  CHECK(broken_with("cli/command_line.cpp", "#include <CLI/CLI.hpp>\n#include <nlohmann/json.hpp>\n").empty());
  CHECK(broken_with("cli/options.hpp", "#include <CLI/CLI.hpp>\n") ==
        std::vector<std::string>{
            "cli/options.hpp:1: CLI11 (<CLI/CLI.hpp>) is not at home in cli; its home is cli/command_line.cpp"});
  CHECK(broken_with("bench/a.cpp", "#include <nlohmann/json.hpp>\n").size() == 1);
  CHECK(broken_with("answers/scenario/queues/a.cpp", "#include <nlohmann/json.hpp>\n").empty());
  CHECK(broken_with("analysis/queues/a.cpp", "#include <nlohmann/json.hpp>\n").size() == 1);
  CHECK(broken_with("analysis/answer/a.cpp", "#include <nlohmann/json.hpp>\n").size() == 1);
  CHECK(broken_with("os/kernel/a.cpp", "#include <linux/seccomp.h>\n").empty());
  CHECK(broken_with("tests/live/behaviour/a.cpp", "#include <linux/io_uring.h>\n").empty());
  CHECK(broken_with("backends/linux/custody/keeper/a.cpp", "#include <linux/seccomp.h>\n") ==
        std::vector<std::string>{
            "backends/linux/custody/keeper/a.cpp:1: Linux's own headers (<linux/seccomp.h>) is not at home in "
            "backends/linux/custody/keeper; its home is os/kernel, backends/linux/audit, tests"});
  CHECK(broken_with("model/a.cpp", "#include <vector>\n#include <unistd.h>\n#include <sys/stat.h>\n").empty());
}

TEST_CASE("arrows: every home is a folder or a file of the project", "[arrows]") {
  const auto files = read_source_tree(source_root());
  for (const auto& home : library_homes()) {
    for (const auto& place : home.homes) {
      INFO(home.library << " in " << place);
      CHECK(std::any_of(files.begin(), files.end(), [&](const auto& file) {
        return file.path == place || file.path.starts_with((place + "/").substr(0, place.find('*')));
      }));
    }
  }
}
