// What a word can become, by where it stands.
#include "control/controller/completion.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm::control {
namespace {

using Names = std::vector<std::string>;

class Fixture {
 public:
  Fixture() {
    computation_.filters().push_back({.name = "f1", .machine = "blue"});
    computation_.filters().push_back({.name = "other", .machine = "blue"});
    auto& job = computation_.add_job("foo", "f1");
    computation_.add_process(job, "server").machine = "red";
    computation_.add_process(job, "server").machine = "red";
    computation_.add_process(job, "client").machine = "red";
    computation_.add_job("bar", "f1");
  }
  Names at(std::string_view line) const { return complete(computation_, {"green", "grey"}, line).candidates; }

 private:
  Computation computation_;
};

TEST_CASE_METHOD(Fixture, "completion: commands and their aliases", "[controller]") {
  CHECK(at("st") == Names{"startjob", "stop", "stopjob"});
  CHECK(at("  re") == Names{"read", "remote", "removefiles", "removefilter", "removejob", "removeprocess"});
  CHECK(at("by") == Names{"bye"});
  CHECK(at("").size() > 20);
  CHECK(at("nothing").empty());
  CHECK(at("help se") == Names{"setflags"});
}

TEST_CASE_METHOD(Fixture, "completion: what each parameter names", "[controller]") {
  CHECK(at("startjob ") == Names{"bar", "foo"});
  CHECK(at("jobs foo b") == Names{"bar"});
  CHECK(at("getlog f") == Names{"f1"});
  CHECK(at("watch o") == Names{"other"});
  CHECK(at("unwatch f") == Names{"f1"});
  CHECK(at("newjob x o") == Names{"other"});
  CHECK(at("newjob x").empty());
  CHECK(at("add foo gr") == Names{"green", "grey"});
  CHECK(at("ADD foo ") == Names{"blue", "green", "grey", "red"});
  CHECK(at("add foo @al") == Names{"@all"});
  CHECK(at("removeprocess foo s") == Names{"server", "server.2"});
  CHECK(at("input bar ").empty());
  CHECK(at("input foo client x").empty());
  CHECK(at("setflags foo se") == Names{"send"});
  CHECK(at("setflags foo send -rec") == Names{"-receive", "-receivecall"});
  CHECK(at("setflags foo a") == Names{"accept", "all"});
  CHECK(at("nonsense ").empty());
  CHECK(at("die ").empty());
}

TEST_CASE_METHOD(Fixture, "completion: files, with folders marked and hidden ones left out", "[controller]") {
  const PlantedTree tree({{"in/one", "1"}, {"in/other", "2"}, {"in/.hidden", "3"}, {"in/deep/file", "4"}});
  const std::string folder = tree.root() / "in/";
  CHECK(at("source " + folder) == Names{folder + "deep/", folder + "one", folder + "other"});
  CHECK(at("source " + folder + "o") == Names{folder + "one", folder + "other"});
  CHECK(at("source " + folder + ".h") == Names{folder + ".hidden"});
  CHECK(at("add foo red A <" + folder + "on") == Names{folder + "one"});
  CHECK(at("source " + folder + "none/").empty());
}

TEST_CASE("completion: what all candidates begin with", "[controller]") {
  CHECK(common_beginning({}).empty());
  CHECK(common_beginning({"startjob"}) == "startjob");
  CHECK(common_beginning({"startjob", "stopjob"}) == "st");
  CHECK(common_beginning({"a", "b"}).empty());
}

}  // namespace
}  // namespace dpm::control
