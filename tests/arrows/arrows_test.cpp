#include <algorithm>

#include "tests/arrows/arrow_rules.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

std::vector<std::string> broken_with(const std::string& path, const std::string& text) {
  const PlantedTree tree({{path, text}});
  return broken_arrows(read_source_tree(tree.root()));
}

}  // namespace

TEST_CASE("arrows: every include of the project follows the table", "[arrows]") {
  const auto files = read_source_tree(source_root());
  REQUIRE(std::any_of(files.begin(), files.end(), [](const auto& file) { return file.path == "model/event.hpp"; }));
  for (const auto& broken : broken_arrows(files)) FAIL_CHECK(broken);
}

TEST_CASE("arrows: a planted arrow is named with file, line, arrow and what is allowed", "[arrows]") {
  CHECK(broken_with("filter/rules.cpp", "#include <string>\n\n#include \"analysis/history/history.hpp\"\n") ==
        std::vector<std::string>{
            "filter/rules.cpp:3: arrow filter -> analysis/history (\"analysis/history/history.hpp\"); "
            "filter may use model, trace"});
  CHECK(broken_with("model/event.cpp", "  #  include \"trace/writer.hpp\"\n") ==
        std::vector<std::string>{
            "model/event.cpp:1: arrow model -> trace (\"trace/writer.hpp\"); model may use nothing"});
}

TEST_CASE("arrows: what each folder may and may not use", "[arrows]") {
  struct Row {
    std::string from, to;
    bool allowed;
  };
  const std::vector<Row> rows = {
      {"trace/a.cpp", "model/event.hpp", true},
      {"trace/a.cpp", "filter/rules.hpp", false},
      {"filter/a.cpp", "trace/reader.hpp", true},
      {"filter/a.cpp", "backends/sim/sim_source.hpp", false},
      {"symbols/a.cpp", "trace/reader.hpp", false},
      {"backends/linux/capture/callers/a.cpp", "symbols/place.hpp", true},
      {"backends/linux/a.cpp", "trace/reader.hpp", false},
      {"view/a.cpp", "symbols/place.hpp", false},
      {"analysis/history/a.cpp", "analysis/statistics/a.hpp", false},
      {"analysis/queues/a.cpp", "analysis/history/history.hpp", true},
      {"analysis/queues/a.cpp", "analysis/statistics/a.hpp", false},
      {"analysis/queues/a.cpp", "trace/reader.hpp", false},
      {"analysis/prediction/a.cpp", "analysis/parallelism/a.hpp", true},
      {"analysis/parallelism/a.cpp", "analysis/prediction/a.hpp", false},
      {"backends/sim/a.cpp", "trace/writer.hpp", false},
      {"backends/sim/a.cpp", "backends/sim/true_time.hpp", true},
      {"backends/sim/a.cpp", "backends/replay/a.hpp", false},
      {"backends/replay/a.cpp", "trace/reader.hpp", true},
      {"backends/linux/capture/calls/a.cpp", "backends/linux/capture/kernel/a.hpp", true},
      {"backends/linux/capture/calls/a.cpp", "backends/sim/a.hpp", false},
      {"backends/linux/custody/keeper/a.cpp", "trace/reader.hpp", false},
      {"backends/linux/transport/link/a.cpp", "trace/reader.hpp", true},
      {"backends/linux/transport/collector/a.cpp", "merge/a.hpp", true},
      {"backends/linux/remote/a.cpp", "trace/reader.hpp", false},
      {"live/a.cpp", "model/message_calls.hpp", true},
      {"live/a.cpp", "backends/sim/sim_source.hpp", false},
      {"live/a.cpp", "scenarios/loader.hpp", false},
      {"scenarios/tsp/a.cpp", "scenarios/loader.hpp", true},
      {"scenarios/tsp/a.cpp", "live/live_run.hpp", false},
      {"scenarios/tsp/a.cpp", "backends/sim/sim_source.hpp", false},
      {"view/a.cpp", "analysis/queues/a.hpp", true},
      {"view/a.cpp", "trace/reader.hpp", false},
      {"cli/a.cpp", "view/report.hpp", true},
      {"bench/a.cpp", "trace/reader.hpp", true},
      {"tools/a.cpp", "model/event.hpp", false},
      {"model/a.cpp", "event.hpp", false},
  };
  for (const auto& row : rows) {
    INFO(row.from << " including " << row.to);
    CHECK(broken_with(row.from, "#include \"" + row.to + "\"\n").empty() == row.allowed);
  }
}

TEST_CASE("arrows: a library is included only at its home", "[arrows]") {
  const std::vector<std::string> headers = {"simgrid/s4u.hpp",    "xbt/log.h",        "nlohmann/json.hpp",
                                            "CLI/CLI.hpp",        "catch2/catch.hpp", "boost/asio.hpp",
                                            "elfutils/libdwfl.h", "linux/seccomp.h"};
  for (const auto& header : headers) {
    INFO(header);
    CHECK(broken_with("view/a.cpp", "#include <" + header + ">\n").size() == 1);
  }
  CHECK(broken_with("backends/sim/a.cpp", "#include <simgrid/s4u.hpp>\n").empty());
  CHECK(broken_with("cli/a.cpp", "#include <CLI/CLI.hpp>\n#include <nlohmann/json.hpp>\n").empty());
  CHECK(broken_with("bench/a.cpp", "#include <nlohmann/json.hpp>\n").size() == 1);
  CHECK(broken_with("backends/linux/capture/kernel/a.cpp", "#include <linux/seccomp.h>\n").empty());
  CHECK(broken_with("tests/linux/behaviour/a.cpp", "#include <linux/io_uring.h>\n").empty());
  CHECK(broken_with("backends/linux/custody/keeper/a.cpp", "#include <linux/seccomp.h>\n") ==
        std::vector<std::string>{
            "backends/linux/custody/keeper/a.cpp:1: Linux's own headers (<linux/seccomp.h>) is not at home in "
            "backends/linux/custody/keeper; its home is backends/linux/capture/kernel, tests/linux"});
  CHECK(broken_with("model/a.cpp", "#include <vector>\n#include <unistd.h>\n#include <sys/stat.h>\n").empty());
}

TEST_CASE("arrows: every home is a folder with a row in the table", "[arrows]") {
  for (const auto& home : library_homes()) {
    for (const auto& folder : home.homes) {
      INFO(home.library << " in " << folder);
      CHECK(std::any_of(allowed_arrows().begin(), allowed_arrows().end(),
                        [&](const auto& arrow) { return folder.starts_with(arrow.folder); }));
    }
  }
}
