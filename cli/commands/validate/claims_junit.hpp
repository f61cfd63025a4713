// The verdicts in the form that CI servers show: JUnit's XML, a test suite a claim and a test case a figure.
#pragma once

#include <string>
#include <vector>

#include "cli/validate/judgement.hpp"

namespace dpm::cli {

std::string claims_junit(const std::vector<Judgement>& judgements);

}  // namespace dpm::cli
