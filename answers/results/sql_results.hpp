// The answer to a question in SQL, as a table and as JSON, with the same values.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "formats/export/sqlite.hpp"

namespace dpm::cli {

std::string sql_text(const SqlRows& found, int width);
nlohmann::ordered_json sql_json(const SqlRows& found, const Ledger& ledger);

}  // namespace dpm::cli
