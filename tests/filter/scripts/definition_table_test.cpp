#include "filter/scripts/definition_table.hpp"

#include "filter/scripts/region_collector.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

using Names = std::vector<std::string>;
using Kind = DefinitionTable::Kind;

DefinitionTable table_of(std::initializer_list<const char*> lines) {
  DefinitionTable table(DefinitionTable::Again::replaces);
  for (const char* line : lines) {
    const auto read = table.read_line(line, 1);
    CAPTURE(line);
    REQUIRE_FALSE(read.mistake);
  }
  return table;
}

DefinitionTable example() {
  return table_of({"process p from prog", "process q from other", "event a is integer_assign on a at *.p.f",
                   "event b is integer_assign on b at *.p.f", "event c is integer_assign on c at *.q.f",
                   "region r is a until b", "when x is a then c", "when y is c do off b", "when z is c"});
}

Names names_of(const DefinitionTable& table, const std::vector<DefinitionTable::Definition>& definitions) {
  Names names;
  for (const auto& each : definitions) names.push_back(table.name_of(each));
  return names;
}

}  // namespace

TEST_CASE("definitions: what stands on a process goes with it", "[scripts]") {
  DefinitionTable table = example();
  const auto p = *table.find("p");
  CHECK(names_of(table, table.support(p)) == Names{"a", "b", "r", "x", "y"});
  CHECK(names_of(table, table.support(*table.find("c"))) == Names{"x", "y", "z"});
  CHECK(table.support(*table.find("z")).empty());
  CHECK(names_of(table, table.undefine(p)) == Names{"a", "b", "r", "x", "y", "p"});
  CHECK(table.names(Kind::event) == Names{"c"});
  CHECK(table.names(Kind::high_level) == Names{"z"});
  CHECK_FALSE(table.find("p"));
  CHECK_FALSE(is_meant(table.script(), table.script().events[0], "machine", "prog", 1));
  CHECK(table.read_line("event d is integer_assign on a at *.p.f", 1).mistake->what ==
        "process 'p' is not defined above (did you mean 'q'?)");
}

TEST_CASE("definitions: a definition keeps its number", "[scripts]") {
  DefinitionTable table = example();
  const auto a = *table.find("a");
  table.undefine(*table.find("p"));
  table.read_line("process p from prog[2]", 1);
  CHECK(table.find("p")->number == 0);
  CHECK(table.script().processes[0].count == 2);
  const auto read = table.read_line("event a is integer_access on a at *.p.f", 1);
  CHECK(read.definition == a);
  CHECK(table.script().events[a.number].is_defined);
  CHECK(table.read_line("event a is integer_assign on a at *.p.f", 1).definition == a);
  CHECK(table.script().events.size() == 3);
}

TEST_CASE("evaluator: an event that is defined again begins from nothing", "[scripts]") {
  DefinitionTable table = example();
  std::uint64_t found = 0;
  EventEvaluator evaluator(table.script(), [&](const HighLevelOccurrence&) { ++found; });
  RunningClocks clocks;
  const auto happens = [&](const char* name) {
    const VectorClock& clock = clocks.perform(0);
    evaluator.add({table.find(Kind::event, name)->number, 0, clocks.count_of(0), 0, {}}, clock);
  };
  happens("a");
  evaluator.redefine(table.read_line("when x is a then b", 1).definition->number);
  happens("b");
  CHECK(found == 0);
  happens("a");
  happens("b");
  CHECK(found == 1);
  evaluator.redefine(table.read_line("when w is b", 1).definition->number);
  happens("b");
  CHECK(found == 2);
  const auto gone = *table.find(Kind::high_level, "w");
  table.undefine(gone);
  evaluator.redefine(gone.number);
  happens("b");
  CHECK(found == 2);
}

TEST_CASE("regions: begin after one event and end with another, in each process", "[scripts]") {
  const auto script = parse_event_script("s",
                                         "process p from prog\nevent i is integer_assign on i at *.p.f\n"
                                         "region high is i(value > 3) until i(value <= 3)\n");
  REQUIRE(script);
  RegionCollector collector(*script);
  RunningClocks clocks;
  const auto sets = [&](std::uint32_t process, std::int64_t value, std::int64_t time_ns) {
    clocks.perform(process);
    PrimitiveOccurrence occurrence{0, process, clocks.count_of(process), time_ns, {}};
    occurrence.fields[0] = value;
    collector.add(occurrence, clocks.knowledge_of(process));
  };
  for (const std::int64_t value : {1, 4, 5, 3, 2, 9}) sets(7, value, value * 10);
  sets(8, 9, 5);
  const auto& found = collector.regions(0);
  REQUIRE(found.size() == 2);
  REQUIRE(found.at(7).size() == 2);
  CHECK(found.at(7)[0].region.begin.count == 2);
  CHECK(found.at(7)[0].region.end->count == 4);
  CHECK(found.at(7)[0].begin_ns == 40);
  CHECK(found.at(7)[0].end_ns == 30);
  CHECK(found.at(7)[1].region.begin.count == 6);
  CHECK_FALSE(found.at(7)[1].region.end);
  CHECK(found.at(8).size() == 1);
}
