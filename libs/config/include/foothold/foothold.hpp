#pragma once

// All that a program needs to ask, tell and store: problems, policies, files.
// IWYU pragma: begin_exports
#include "foothold/base/error.hpp"
#include "foothold/config/experiment.hpp"
#include "foothold/config/sweep.hpp"
#include "foothold/geometry/decision_set.hpp"
#include "foothold/policy/algorithm.hpp"
#include "foothold/policy/gslucb.hpp"
#include "foothold/policy/make.hpp"
#include "foothold/policy/safe_lucb.hpp"
#include "foothold/policy/targeted.hpp"
#include "foothold/policy/warmup.hpp"
#include "foothold/safety/certifier.hpp"
#include "foothold/safety/known_safe_set.hpp"
#include "foothold/safety/problem.hpp"
// IWYU pragma: end_exports
