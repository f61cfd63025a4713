#include "scenarios/loader/study_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/loader/key_tables.hpp"

namespace dpm {
namespace {

constexpr std::size_t kMostValues = 1000;

const std::vector<std::string> kMethods = {"replay", "thesis1984"};
const std::vector<std::string> kOrders = {"auto", "recorded", "arrival", "role"};

class StudyReader {
 public:
  StudyReader(ObjectReader& root, const Reading& reading, const NameGroups& processes, ScenarioFile& file)
      : root_(root), reading_(reading), processes_(processes), file_(file) {
    for (const auto& [name, parameter] : file.parameters) parameter_names_.push_back(name);
  }

  void read() {
    each("sweeps", key_tables().sweep, [&](ObjectReader& object) { read_sweep(object); });
    each("analyses", key_tables().analysis, [&](ObjectReader& object) { read_analysis(object); });
    each("predictions", key_tables().prediction, [&](ObjectReader& object) { read_prediction(object); });
    each("published", key_tables().published, [&](ObjectReader& object) { read_published(object); });
    read_runs();
  }

 private:
  template <typename Read>
  void each(const std::string& key, const KeyTable& table, Read read_one) {
    const JsonNode* list = root_.find(key);
    if (list == nullptr || !reading_.expect(*list, JsonKind::list, fmt::format("'{}'", key))) return;
    for (const auto& item : list->items) {
      if (item.is(JsonKind::text) && key == "analyses") {
        add_analysis(item, reading_.word(item, "an analysis", analyses_), {});
        continue;
      }
      ObjectReader object(item, table, reading_);
      read_one(object);
    }
  }

  void read_sweep(ObjectReader& object) {
    Sweep sweep;
    const JsonNode* parameter = object.find("parameter");
    const JsonNode* values = object.find("values");
    const JsonNode* over = object.find("over");
    if ((parameter != nullptr) != (values != nullptr) || (parameter != nullptr) == (over != nullptr))
      reading_.problem(object.node(), "a sweep needs 'parameter' and 'values', or 'over' for several parameters");
    if (parameter != nullptr && values != nullptr)
      add_axis(sweep, *parameter, reading_.text(*parameter, "'parameter'"), *values);
    if (over != nullptr && reading_.expect(*over, JsonKind::object, "'over'"))
      for (const auto& member : over->members) add_axis(sweep, member.value, member.key, member.value);
    sweep.name = object.text("name", sweep.axes.empty() ? "" : sweep.axes.front().parameter);
    sweep.placements = placements(object.find("placements"), {file_.placement});
    sweep.seeds = seeds(object.find("seeds"));
    unique(object.node(), sweep.name, file_.sweeps, "sweeps");
    file_.sweeps.push_back(std::move(sweep));
  }

  void add_axis(Sweep& sweep, const JsonNode& at, const std::string& parameter, const JsonNode& values) {
    know_parameter(at, parameter);
    SweepAxis axis{parameter, reading_.numbers(values, fmt::format("the values of '{}'", parameter), kAnyNumber)};
    if (axis.values.empty() || axis.values.size() > kMostValues)
      reading_.problem(values, "a sweep needs between 1 and 1000 values");
    sweep.axes.push_back(std::move(axis));
  }

  void read_analysis(ObjectReader& object) {
    object.need("kind");
    const std::string kind = object.word("kind", analyses_.front(), analyses_);
    AnalysisRequest request;
    request.name = object.text("name", kind);
    request.processes = process_list(object.find("processes"));
    request.external_time = object.flag("external_time", false);
    request.placements = placements(object.find("placements"), {});
    request.requestors = process_list(object.find("requestors"));
    request.systems = process_list(object.find("systems"));
    request.prediction = choice(object);
    if (kind != "prediction") {
      for (const char* key : {"order", "placements"})
        if (object.has(key)) reading_.problem(object.node(), std::string(key) + " belongs to a prediction");
      if (kind != "parallelism" && object.has("method"))
        reading_.problem(object.node(), "method belongs to a prediction or to parallelism");
    }
    for (const char* key : {"requestors", "systems"})
      if (kind != "causality" && object.has(key))
        reading_.problem(object.node(), std::string(key) + " belongs to causality");
    add_analysis(object.node(), kind, std::move(request));
  }

  void add_analysis(const JsonNode& at, const std::string& kind, AnalysisRequest request) {
    if (std::find(analyses_.begin(), analyses_.end(), kind) == analyses_.end()) return;  // reported
    request.kind = kind;
    if (request.name.empty()) request.name = kind;
    unique(at, request.name, file_.analyses, "analyses");
    file_.analyses.push_back(std::move(request));
  }

  void read_prediction(ObjectReader& object) {
    PredictionMatrix matrix;
    matrix.name = object.text("name", "predictions");
    matrix.placements = placements(object.need("placements"), {});
    if (matrix.placements.size() < 2)
      reading_.problem(object.node(), "a prediction needs at least two placements: one traced, one predicted");
    matrix.seeds = seeds(object.find("seeds"));
    const JsonNode* parameters = object.find("parameters");
    if (parameters != nullptr && reading_.expect(*parameters, JsonKind::object, "'parameters'")) {
      for (const auto& member : parameters->members) {
        know_parameter(member.value, member.key);
        matrix.parameters[member.key] =
            reading_.number(member.value, fmt::format("parameter '{}'", member.key), kAnyNumber);
      }
    }
    matrix.processes = process_list(object.find("processes"));
    matrix.prediction = choice(object);
    unique(object.node(), matrix.name, file_.predictions, "predictions");
    file_.predictions.push_back(std::move(matrix));
  }

  void read_published(ObjectReader& object) {
    PublishedFigure figure;
    figure.label = object.needed_text("label");
    figure.figure = object.text("figure", "");
    figure.quantity = object.needed_text("quantity");
    if (!figure.quantity.empty() && figure.quantity.front() != '/')
      reading_.problem(*object.find("quantity"), "'quantity' is a JSON pointer into results.json and begins with '/'");
    if (object.need("value") != nullptr) figure.value = object.number("value", 0, kAnyNumber);
    if (object.need("within") != nullptr) figure.within = object.number("within", 0, {});
    file_.published.push_back(std::move(figure));
  }

  void read_runs() {
    const JsonNode* node = root_.find("study");
    for (const auto& sweep : file_.sweeps) file_.study.sweeps.push_back(sweep.name);
    for (const auto& matrix : file_.predictions) file_.study.predictions.push_back(matrix.name);
    if (node == nullptr) return;
    ObjectReader object(*node, key_tables().study, reading_);
    file_.study.sweeps = names_of(object.find("sweeps"), file_.sweeps, "'sweeps'", "sweep");
    file_.study.predictions = names_of(object.find("predictions"), file_.predictions, "'predictions'", "prediction");
  }

  // ---- parts

  PredictionChoice choice(ObjectReader& object) {
    return {object.word("method", "replay", kMethods), object.word("order", "auto", kOrders)};
  }

  void know_parameter(const JsonNode& at, const std::string& name) {
    if (!name.empty() && file_.parameters.count(name) == 0)
      reading_.problem(at, fmt::format("no parameter '{}'{}", name, hint(name, parameter_names_)));
  }

  std::vector<std::string> placements(const JsonNode* node, std::vector<std::string> otherwise) {
    if (node == nullptr) return otherwise;
    const auto names = reading_.texts(*node, "'placements'");
    if (node->is(JsonKind::list) && names.empty())
      reading_.problem(*node, "'placements' must name at least one placement");
    for (const auto& name : names)
      if (std::find(file_.placement_names.begin(), file_.placement_names.end(), name) == file_.placement_names.end())
        reading_.problem(*node, fmt::format("no placement '{}'{}", name, hint(name, file_.placement_names)));
    return names;
  }

  std::vector<std::uint64_t> seeds(const JsonNode* node) {
    if (node == nullptr) return {file_.seed};
    std::vector<std::uint64_t> result;
    if (!reading_.expect(*node, JsonKind::list, "'seeds'")) return result;
    for (const auto& item : node->items) result.push_back(reading_.whole(item, "a seed", kSeed));
    if (result.empty() || result.size() > kMostValues)
      reading_.problem(*node, "'seeds' needs between 1 and 1000 numbers");
    return result;
  }

  std::vector<std::string> process_list(const JsonNode* node) {
    if (node == nullptr) return {};
    const auto names = reading_.texts(*node, "'processes'");
    for (const auto& name : names) processes_.find(reading_, *node, name, "'processes'");
    return names;
  }

  template <typename Named>
  std::vector<std::string> names_of(const JsonNode* node, const std::vector<Named>& all, const std::string& what,
                                    const std::string& noun) {
    if (node == nullptr) return {};
    std::vector<std::string> valid;
    for (const auto& one : all) valid.push_back(one.name);
    const auto names = reading_.texts(*node, what);
    for (const auto& name : names)
      if (std::find(valid.begin(), valid.end(), name) == valid.end())
        reading_.problem(*node, fmt::format("no {} '{}'{}", noun, name, hint(name, valid)));
    return names;
  }

  template <typename Named>
  void unique(const JsonNode& at, const std::string& name, const std::vector<Named>& all, const std::string& noun) {
    const auto same = [&](const Named& one) { return one.name == name; };
    if (std::any_of(all.begin(), all.end(), same))
      reading_.problem(at, fmt::format("there are two {} of the name '{}': give one a 'name'", noun, name));
  }

  ObjectReader& root_;
  const Reading& reading_;
  const NameGroups& processes_;
  ScenarioFile& file_;
  const std::vector<std::string> analyses_{analysis_names().begin(), analysis_names().end()};
  std::vector<std::string> parameter_names_;
};

}  // namespace

void read_study(ObjectReader& root, const Reading& reading, const NameGroups& processes, ScenarioFile& file) {
  StudyReader(root, reading, processes, file).read();
}

}  // namespace dpm
