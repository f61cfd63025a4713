// UniqueFd under the name by which the meter's files know it.
#pragma once

#include "model/unique_fd.hpp"
