#include "foothold/policy/algorithm.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "foothold/base/invariant.hpp"
#include "foothold/policy/make.hpp"

#include "learner_core.hpp"

// The registry: one row a policy.
namespace foothold::policy {

// Each stands beside the rule of its policy.
std::unique_ptr<LearnerCore> make_safe_lucb(const SharedSetup& setup);
std::unique_ptr<LearnerCore> make_gslucb(const SharedSetup& setup);
std::unique_ptr<LearnerCore> make_targeted(const SharedSetup& setup);

namespace {

struct Entry {
  Algorithm algorithm{};
  std::string_view name{};
  std::string_view title{};
  std::unique_ptr<LearnerCore> (*make)(const SharedSetup& setup) = nullptr;
};

constexpr std::array kEntries = {
    Entry{Algorithm::SafeLucb, "safe-lucb", "Safe-LUCB", make_safe_lucb},
    Entry{Algorithm::Gslucb, "gslucb", "GSLUCB", make_gslucb},
    Entry{Algorithm::Targeted, "targeted", "Targeted", make_targeted},
};

constexpr auto kAlgorithms = [] {
  std::array<Algorithm, kEntries.size()> values{};
  std::transform(kEntries.begin(), kEntries.end(), values.begin(),
                 [](const Entry& entry) { return entry.algorithm; });
  return values;
}();

const Entry& entry_of(Algorithm algorithm) {
  const auto* const entry =
      std::find_if(kEntries.begin(), kEntries.end(),
                   [algorithm](const Entry& row) { return row.algorithm == algorithm; });
  FOOTHOLD_INVARIANT(entry != kEntries.end());
  return *entry;
}

}  // namespace

std::span<const Algorithm> algorithms() noexcept {
  return kAlgorithms;
}

std::string_view name(Algorithm algorithm) {
  return entry_of(algorithm).name;
}

std::optional<Algorithm> algorithm_of(std::string_view name) noexcept {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) {
      return entry.algorithm;
    }
  }
  return std::nullopt;
}

std::string_view title(Algorithm algorithm) {
  return entry_of(algorithm).title;
}

std::unique_ptr<LearnerCore> make_core(const SharedSetup& setup) {
  return entry_of(setup->algorithm).make(setup);
}

std::unique_ptr<Learner> make(Algorithm algorithm, safety::Problem problem,
                              const PolicyOptions& options) {
  return std::make_unique<Learner>(algorithm, std::move(problem), options);
}

}  // namespace foothold::policy
