#include "foothold/arms/arm_scan.hpp"

#include <algorithm>
#include <optional>

#include "foothold/base/infinity.hpp"

#include "ranking/arm_ranking.hpp"
#include "shortlist/arm_shortlist.hpp"
#include "table/arm_table.hpp"

namespace foothold::arms {
namespace {

// Up to so many fixed arms a scan of all costs about what a look at the shortlist does.
constexpr Eigen::Index kPlainArms = 256;

}  // namespace

class ArmScan::Workspace {
 public:
  Workspace(const safety::Problem& problem, ArmOptimism optimism)
      : problem_(&problem), ranking_(problem.dim(), optimism), screen_(problem) {
    const auto* fixed = std::get_if<geometry::Arms>(&problem.decision_set);
    if (fixed == nullptr) {
      return;
    }
    if (optimism == ArmOptimism::Ellipsoid && fixed->count() > kPlainArms) {
      shortlist_.emplace(problem, fixed->features());
      reserve(2 * static_cast<Eigen::Index>(shortlist_->most()));
    } else if (fixed->count() <= kPlainArms) {
      table_.assign_all(fixed->features());
      screen_.prepare(table_);
      reserve(fixed->count());
    }
  }

  const ArmChoice& choose(const estimation::RidgeEstimate& estimate,
                          const estimation::ConfidenceRegion& region,
                          const Eigen::Ref<const Eigen::MatrixXd>& arms,
                          const std::vector<bool>& proved, safety::Certifier& certifier,
                          safety::Certificate& certificate) {
    screen_.begin(estimate, region, certifier);
    const ArmQuestion question{estimate, region, proved, certifier, screen_};
    const bool is_prepared = shortlist_ || !table_.rows().empty();
    if (!is_prepared || !is_fixed(arms)) {
      return ranking_.choose(question, {arms.data(), arms.outerStride(), arms.rows()}, nullptr,
                             certificate);
    }
    if (shortlist_) {
      return choose_among_many(question, arms, certificate);
    }
    return ranking_.choose(question, table_.block(), &table_.rows(), certificate);
  }

 private:
  void reserve(Eigen::Index count) {
    ranking_.reserve(count);
    screen_.reserve(count);
  }

  // The list that serves, or a new one; all arms if neither settles it.
  const ArmChoice& choose_among_many(const ArmQuestion& question,
                                     const Eigen::Ref<const Eigen::MatrixXd>& arms,
                                     safety::Certificate& certificate) {
    bool has_list = shortlist_->is_current(question);
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (has_list) {
        const ArmTable& listed = shortlist_->arms();
        const ArmChoice& choice =
            ranking_.choose(question, listed.block(), &listed.rows(), certificate);
        if (shortlist_->settles(choice)) {
          return choice;
        }
      }
      has_list = attempt == 0 && shortlist_->renew(question);
    }
    return ranking_.choose(question, {arms.data(), arms.outerStride(), arms.rows()}, nullptr,
                           certificate);
  }

  // Whether these are the arms of the problem themselves: only what stays can be prepared.
  [[nodiscard]] bool is_fixed(const Eigen::Ref<const Eigen::MatrixXd>& arms) const {
    const auto* fixed = std::get_if<geometry::Arms>(&problem_->decision_set);
    return fixed != nullptr && fixed->features().data() == arms.data() &&
           fixed->count() == arms.rows();
  }

  const safety::Problem* problem_;
  ArmRanking ranking_;
  ArmScreen screen_;
  ArmTable table_;                         // all arms, if they are few
  std::optional<ArmShortlist> shortlist_;  // if they are many
};

ArmScan::ArmScan(const safety::Problem& problem, ArmOptimism optimism)
    : workspace_(std::make_unique<Workspace>(problem, optimism)) {}
ArmScan::ArmScan(ArmScan&& other) noexcept = default;
ArmScan& ArmScan::operator=(ArmScan&& other) noexcept = default;
ArmScan::~ArmScan() = default;

const ArmChoice& ArmScan::choose(const estimation::RidgeEstimate& estimate,
                                 const estimation::ConfidenceRegion& region,
                                 const Eigen::Ref<const Eigen::MatrixXd>& arms,
                                 const std::vector<bool>& proved, safety::Certifier& certifier,
                                 safety::Certificate& certificate) {
  return workspace_->choose(estimate, region, arms, proved, certifier, certificate);
}

}  // namespace foothold::arms
