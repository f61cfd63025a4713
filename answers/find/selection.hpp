// Which items an expression means, in one trace.
#pragma once

#include <vector>

#include "answers/find/find_expression.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

class Selection {
 public:
  // Refuses a name that nothing in the trace has, with the nearest one.
  static Result<Selection> resolve(const FindExpression& expression, const TraceInfo& info);

  // An amount that is not known meets no condition.
  bool accepts(const Item& item) const;

 private:
  struct Test {
    FindCondition condition;
    std::vector<bool> meant;  // of a name: by process, or by channel
  };

  static Result<Test> resolve(const FindCondition& condition, const TraceInfo& info);
  static bool holds(const Test& test, const Item& item);

  std::vector<std::vector<Test>> rules_;
};

// The greatest amounts first, or names in their order; equal ones in the order in which they began. Amounts that are not known come last.
void sort_items(std::vector<Item>& items, const ItemField& field, const TraceInfo& info);

// What a name field says of an item, as tables show it; empty: nothing.
std::string name_in(const Item& item, const ItemField& field, const TraceInfo& info);

}  // namespace dpm::cli
