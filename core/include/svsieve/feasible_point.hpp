// The point nearest to a wish that obeys the bounds and the sum of a dual problem.
#pragma once

#include <vector>

#include "svsieve/views.hpp"

namespace svsieve {

// Throws std::invalid_argument where no point is feasible, or the wish is not finite.
std::vector<double> feasible_point(Vector wish, Vector lower, Vector upper, double total);

}  // namespace svsieve
