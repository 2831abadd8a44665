#include "foothold/gap/gap_bound.hpp"

#include <cmath>
#include <optional>
#include <variant>

#include <fmt/core.h>

#include "foothold/base/error.hpp"
#include "foothold/base/invariant.hpp"

#include "arm_gap.hpp"
#include "ball_gap.hpp"
#include "region_program.hpp"
#include "vertex_gap.hpp"

namespace foothold::gap {

void validate(const GapOptions& options) {
  if (!(options.max_vertices > 0)) {
    throw Error(ErrorCode::InvalidArgument, "max_vertices",
                fmt::format("must be positive, got {}", options.max_vertices));
  }
}

class GapBound::Impl {
 public:
  Impl(const safety::Problem& problem, GapRegion region, const GapOptions& options)
      : problem_(&problem), program_(problem.dim(), region), arm_gap_(problem, program_) {
    validate(options);
    const bool has_vertices = std::holds_alternative<geometry::Box>(problem.decision_set) ||
                              std::holds_alternative<geometry::Polytope>(problem.decision_set);
    if (has_vertices) {
      vertex_gap_.emplace(problem, program_, options.max_vertices);
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  GapEstimate bound(const estimation::ConfidenceRegion& region) {
    if (const auto* arms = std::get_if<geometry::Arms>(&problem_->decision_set)) {
      return bound(region, arms->features());
    }
    if (std::holds_alternative<geometry::ContextualArms>(problem_->decision_set)) {
      throw Error(ErrorCode::InvalidArgument, "arms", "must be given for contextual arms");
    }
    if (!load(region)) {
      return {.is_complete = false};
    }
    return finite(vertex_gap_ ? vertex_gap_->bound() : ball_gap(*problem_, program_));
  }

  GapEstimate bound(const estimation::ConfidenceRegion& region,
                    const Eigen::Ref<const Eigen::MatrixXd>& arms) {
    if (arms.rows() == 0 || arms.cols() != problem_->dim()) {
      throw Error(ErrorCode::InvalidArgument, "arms",
                  fmt::format("must have at least one row and {} columns, got {} × {}",
                              problem_->dim(), arms.rows(), arms.cols()));
    }
    if (!arms.allFinite()) {
      throw Error(ErrorCode::InvalidArgument, "arms", "must be finite");
    }
    return load(region) ? finite(arm_gap_.bound(arms)) : GapEstimate{.is_complete = false};
  }

 private:
  bool load(const estimation::ConfidenceRegion& region) {
    if (!region.is_usable()) {
      return false;
    }
    program_.load(region);
    return true;
  }

  // Overflow on the way shows as a value that is not finite.
  static GapEstimate finite(GapEstimate estimate) {
    if (!std::isfinite(estimate.value)) {
      estimate.value = 0.0;
      estimate.is_complete = false;
    }
    return estimate;
  }

  const safety::Problem* problem_;
  RegionProgram program_;
  ArmGap arm_gap_;
  std::optional<VertexGap> vertex_gap_;
};

GapBound::GapBound(const safety::Problem& problem, GapRegion region, const GapOptions& options)
    : impl_(std::make_unique<Impl>(problem, region, options)) {}
GapBound::~GapBound() = default;
GapBound::GapBound(GapBound&&) noexcept = default;
GapBound& GapBound::operator=(GapBound&&) noexcept = default;

GapEstimate GapBound::bound(const estimation::ConfidenceRegion& region) {
  return impl_->bound(region);
}

GapEstimate GapBound::bound(const estimation::ConfidenceRegion& region,
                            const Eigen::Ref<const Eigen::MatrixXd>& arms) {
  return impl_->bound(region, arms);
}

}  // namespace foothold::gap
