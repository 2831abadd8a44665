#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "foothold/base/invariant.hpp"
#include "foothold/config/experiment.hpp"

#include "document/value.hpp"

// The words of the schema for enumerators, for reading and writing.
namespace foothold::config {

inline constexpr std::array kNoiseTypes = {
    EnumName<NoiseType>{NoiseType::Gaussian, "gaussian"},
    EnumName<NoiseType>{NoiseType::Uniform, "uniform"},
    EnumName<NoiseType>{NoiseType::Rademacher, "rademacher"}};

// The word for the simulator's learner without constraints; those of the policies are in their own
// registry.
inline constexpr std::string_view kUnsafeLucb = "unsafe-lucb";

inline constexpr std::array kOptimisms = {
    EnumName<policy::Optimism>{policy::Optimism::L1, "l1"},
    EnumName<policy::Optimism>{policy::Optimism::L1Cholesky, "l1-cholesky"},
    EnumName<policy::Optimism>{policy::Optimism::Ellipsoid, "ellipsoid"}};

inline constexpr std::array kCautions = {
    EnumName<safety::Caution>{safety::Caution::Ellipsoid, "ellipsoid"},
    EnumName<safety::Caution>{safety::Caution::L1Exact, "l1-exact"},
    EnumName<safety::Caution>{safety::Caution::L1Paper, "l1-paper"}};

inline constexpr std::array kCertifiedSets = {
    EnumName<safety::CertifiedSet>{safety::CertifiedSet::Region, "region"},
    EnumName<safety::CertifiedSet>{safety::CertifiedSet::Union, "union"}};

inline constexpr std::array kRadiusForms = {
    EnumName<estimation::RadiusForm>{estimation::RadiusForm::Paper, "paper"},
    EnumName<estimation::RadiusForm>{estimation::RadiusForm::LogDet, "log-det"},
    EnumName<estimation::RadiusForm>{estimation::RadiusForm::Mixture, "mixture"}};

// Schedule::Rounds has no word: it is `warmup = { rounds = N }`.
inline constexpr std::array kSchedules = {
    EnumName<policy::Schedule>{policy::Schedule::None, "none"},
    EnumName<policy::Schedule>{policy::Schedule::Gap, "gap"},
    EnumName<policy::Schedule>{policy::Schedule::WorstCase, "worst-case"},
    EnumName<policy::Schedule>{policy::Schedule::Nested, "nested"}};

inline constexpr std::array kExploits = {
    EnumName<policy::Exploit>{policy::Exploit::Optimism, "optimism"},
    EnumName<policy::Exploit>{policy::Exploit::Thompson, "thompson"}};

inline constexpr std::array kSamplers = {
    EnumName<safety::Sampler>{safety::Sampler::Uniform, "uniform"},
    EnumName<safety::Sampler>{safety::Sampler::Shell, "shell"}};

template <typename Enum, std::size_t Count>
[[nodiscard]] std::string name_of(const std::array<EnumName<Enum>, Count>& names, Enum value) {
  const auto entry =
      std::find_if(names.begin(), names.end(),
                   [value](const EnumName<Enum>& candidate) { return candidate.value == value; });
  FOOTHOLD_INVARIANT(entry != names.end());
  return std::string(entry->name);
}

}  // namespace foothold::config
